/**
 * What a person reads in the messages of the bot.
 * @module
 */

import assert from "node:assert/strict";
import { FeishuPlatform } from "../feishu_server.ts";
import { refusalOf, sdkClient, sendText } from "./sdk.ts";

async function sendContent(platform: FeishuPlatform, msg_type: string, content: unknown) {
  platform.addPerson("ou_bob");
  const answer = await sdkClient(platform).im.message.create({
    params: { receive_id_type: "open_id" },
    data: { receive_id: "ou_bob", msg_type, content: JSON.stringify(content) },
  });
  return platform.message(answer.data?.message_id ?? "");
}

const POST = {
  zh_cn: {
    title: "Title",
    content: [
      [{ tag: "text", text: "see " }, { tag: "a", text: "here", href: "https://example.org" }],
      [{ tag: "at", user_id: "ou_x", user_name: "Xenia" }, { tag: "emotion", emoji_type: "OK" }],
      [{ tag: "code_block", language: "ts", text: "let a;" }],
      [{ tag: "md", text: "**bold**" }],
    ],
  },
};
const OLD_CARD = {
  config: { wide_screen_mode: true },
  header: { title: { tag: "plain_text", content: "Head" } },
  elements: [
    { tag: "div", text: { tag: "lark_md", content: "**a**" } },
    { tag: "markdown", content: "b" },
    { tag: "hr" },
    {
      tag: "table",
      page_size: 1,
      columns: [{ name: "c0", display_name: "X" }, { name: "c1", display_name: "Y" }],
      rows: [{ c0: 1, c1: "z" }],
    },
    {
      tag: "column_set",
      columns: [{ tag: "column", elements: [{ tag: "markdown", content: "inside" }] }],
    },
    { tag: "button", text: { tag: "plain_text", content: "Go" } },
  ],
};

Deno.test.each([
  {
    what: "a mention in a text",
    type: "text",
    content: { text: 'hi <at user_id="ou_x">Xenia</at>' },
    text: "hi @Xenia",
  },
  {
    what: "a post",
    type: "post",
    content: POST,
    text: "Title\nsee [here](https://example.org)\n@Xenia[OK]\n```ts\nlet a;\n```\n**bold**",
  },
  {
    what: "a card",
    type: "interactive",
    content: OLD_CARD,
    text: "Head\n**a**\nb\n---\nX | Y\n1 | z\ninside\n[Go]",
  },
  {
    what: "a divider",
    type: "system",
    content: { type: "divider", params: { divider_text: { text: "New session started." } } },
    text: "New session started.",
  },
])("FeishuPlatform shows $what as a person reads it", async ({ type, content, text }) => {
  await using platform = await FeishuPlatform.start();
  assert.equal((await sendContent(platform, type, content)).text, text);
});

Deno.test("FeishuPlatform shows a whole card as changed by patch, and no entity by it", async () => {
  await using platform = await FeishuPlatform.start();
  const { messageId } = await sendContent(platform, "interactive", OLD_CARD);
  const content = JSON.stringify({ elements: [{ tag: "markdown", content: "new" }] });
  const client = sdkClient(platform);
  const path = { message_id: messageId };
  await client.im.message.patch({ path, data: { content } });
  const { text, card } = platform.message(messageId);
  assert.equal(text, "new");
  assert.partialDeepStrictEqual(card, { cardId: undefined, isStreaming: false, summary: "new" });
  const sent = await sendText(client, "ou_bob", "no card");
  const patching = client.im.message.patch({
    path: { message_id: sent.data?.message_id ?? "" },
    data: { content },
  });
  assert.equal(await refusalOf(patching), "400/230001");
});

Deno.test("FeishuPlatform counts what the bot said twice in a chat", async () => {
  await using platform = await FeishuPlatform.start();
  platform.addPerson("ou_bob");
  const client = sdkClient(platform);
  for (const text of ["a", "b", "a"]) await sendText(client, "ou_bob", text);
  platform.userSays({ openId: "ou_bob", text: "a" });
  assert.equal(platform.chat("ou_bob").duplicates, 1);
  assert.equal(platform.chats.length, 1);
});

Deno.test("FeishuPlatform has no view of chats and messages that do not exist", async () => {
  await using platform = await FeishuPlatform.start();
  assert.throws(() => platform.chat("oc_nowhere"), RangeError);
  assert.throws(() => platform.message("om_nothing"), RangeError);
  assert.throws(() => platform.userSays({ replyTo: "om_nothing", text: "x" }), RangeError);
});

Deno.test("FeishuPlatform's wait fails at its deadline and names what it waited for", async () => {
  await using platform = await FeishuPlatform.start();
  const waiting = platform.waitFor(() => false, { timeoutMs: 1, what: "a miracle" });
  await assert.rejects(waiting, { message: /a miracle did not happen within 1 ms/ });
});
