/**
 * Messages, topics and reactions as the official SDK meets them.
 * @module
 */

import assert from "node:assert/strict";
import type { Client } from "@larksuiteoapi/node-sdk";
import { ManualClock } from "../../support/manual_clock.ts";
import { FeishuPlatform, NO_LIMITS } from "../feishu_server.ts";
import { refusal, refusalOf, sdkClient, sendText } from "./sdk.ts";

function reply(
  client: Client,
  messageId: string,
  data: { text: string; uuid?: string; reply_in_thread?: boolean },
) {
  const { text, ...rest } = data;
  return client.im.message.reply({
    path: { message_id: messageId },
    data: { msg_type: "text", content: JSON.stringify({ text }), ...rest },
  });
}

Deno.test("FeishuPlatform sends to a person by open id and to a group by chat id", async () => {
  await using platform = await FeishuPlatform.start();
  platform.addPerson("ou_bob");
  platform.addGroup("oc_team");
  const client = sdkClient(platform);
  await sendText(client, "ou_bob", "to you");
  await sendText(client, "oc_team", "to all");
  assert.deepEqual(platform.chat("ou_bob").fromBot.map(({ text }) => text), ["to you"]);
  assert.deepEqual(platform.chat("oc_team").fromBot.map(({ text }) => text), ["to all"]);
  const routes = platform.calls().map(({ route, status, code }) => [route, status, code]);
  assert.deepEqual(routes, [
    ["auth.tenantAccessToken", 200, 0],
    ["im.message.create", 200, 0],
    ["im.message.create", 200, 0],
  ]);
});

Deno.test("FeishuPlatform sends again under a uuid that is older than an hour", async () => {
  const clock = new ManualClock();
  await using platform = await FeishuPlatform.start({ clock });
  platform.addPerson("ou_bob");
  const client = sdkClient(platform);
  const first = await sendText(client, "ou_bob", "hi", { uuid: "u" });
  await clock.advance(3_599_999);
  const second = await sendText(client, "ou_bob", "hi", { uuid: "u" });
  await clock.advance(1);
  const third = await sendText(client, "ou_bob", "hi", { uuid: "u" });
  assert.equal(first.data?.message_id, second.data?.message_id);
  assert.notEqual(first.data?.message_id, third.data?.message_id);
  assert.equal(platform.chat("ou_bob").duplicates, 1);
});

Deno.test("FeishuPlatform keeps a reply by its parent and in its topic", async () => {
  await using platform = await FeishuPlatform.start();
  const client = sdkClient(platform);
  const root = platform.userSays({ chatId: "oc_team", text: "question" });
  await reply(client, root.messageId, { text: "beside" });
  const opened = await reply(client, root.messageId, { text: "in topic", reply_in_thread: true });
  const inside = await reply(client, opened.data?.message_id ?? "", { text: "stays in topic" });
  const [, beside, first, second] = platform.chat("oc_team").messages;
  assert.equal(beside?.parentId, root.messageId);
  assert.equal(beside?.threadId, undefined);
  assert.equal(first?.threadId, opened.data?.thread_id);
  assert.match(first?.threadId ?? "", /^omt_/);
  assert.deepEqual(
    [second?.parentId, second?.rootId, second?.threadId],
    [opened.data?.message_id, root.messageId, first?.threadId],
  );
  assert.equal(inside.data?.root_id, root.messageId);
  assert.equal(platform.message(root.messageId).threadId, first?.threadId);
});

Deno.test("FeishuPlatform opens a topic for each message in a topic group", async () => {
  await using platform = await FeishuPlatform.start();
  platform.addGroup("oc_topics", { isTopicGroup: true });
  const first = platform.userSays({ chatId: "oc_topics", text: "one" });
  const second = platform.userSays({ chatId: "oc_topics", text: "two" });
  const answer = platform.userSays({ chatId: "oc_topics", text: "more", replyTo: first.messageId });
  const topicOf = ({ messageId }: { messageId: string }) => platform.message(messageId).threadId;
  assert.notEqual(topicOf(first), topicOf(second));
  assert.equal(topicOf(answer), topicOf(first));
});

Deno.test("FeishuPlatform describes a person's message with mentions", async () => {
  await using platform = await FeishuPlatform.start();
  const said = platform.userSays({
    chatId: "oc_team",
    text: "hello",
    mentions: ["bot", { openId: "ou_carol", name: "Carol" }],
  });
  const message = platform.message(said.messageId);
  assert.equal(message.text, "@Troupe @Carol hello");
  const answer = await sdkClient(platform).im.message.get({ path: { message_id: said.messageId } });
  assert.partialDeepStrictEqual(answer.data?.items, [{
    msg_type: "text",
    body: { content: '{"text":"@_user_1 @_user_2 hello"}' },
    mentions: [
      { key: "@_user_1", id: platform.app.botOpenId, id_type: "open_id" },
      { key: "@_user_2", id: "ou_carol", name: "Carol" },
    ],
  }]);
});

Deno.test("FeishuPlatform opens a forwarded bundle by its id", async () => {
  await using platform = await FeishuPlatform.start();
  const bundle = platform.userForwards({}, [
    { openId: "ou_bob", text: "first" },
    { openId: "ou_carol", text: "second" },
  ]);
  const answer = await sdkClient(platform).im.message.get({
    path: { message_id: bundle.messageId },
  });
  const [parent, ...children] = answer.data?.items ?? [];
  assert.equal(parent?.msg_type, "merge_forward");
  assert.deepEqual(children.map((child) => child.upper_message_id), [
    bundle.messageId,
    bundle.messageId,
  ]);
  assert.equal(platform.chat("ou_alice").messages.length, 1);
});

Deno.test("FeishuPlatform lists a chat in pages", async () => {
  await using platform = await FeishuPlatform.start();
  for (const text of ["a", "b", "c"]) platform.userSays({ chatId: "oc_team", text });
  const client = sdkClient(platform);
  const page = (page_token?: string) =>
    client.im.message.list({
      params: {
        container_id_type: "chat",
        container_id: "oc_team",
        sort_type: "ByCreateTimeDesc",
        page_size: 2,
        ...(page_token !== undefined && { page_token }),
      },
    });
  const first = await page();
  const second = await page(first.data?.page_token);
  const texts = [first, second].map((answer) => answer.data?.items?.map((m) => m.body?.content));
  assert.deepEqual(texts, [['{"text":"c"}', '{"text":"b"}'], ['{"text":"a"}']]);
  assert.deepEqual([first.data?.has_more, second.data?.has_more], [true, false]);
});

Deno.test("FeishuPlatform edits, recalls and then refuses to answer a message", async () => {
  await using platform = await FeishuPlatform.start();
  platform.addPerson("ou_bob");
  const client = sdkClient(platform);
  const sent = await sendText(client, "ou_bob", "before");
  const path = { message_id: sent.data?.message_id ?? "" };
  await client.im.message.update({ path, data: { msg_type: "text", content: '{"text":"after"}' } });
  assert.deepEqual(platform.message(path.message_id).texts, ["before", "after"]);
  await client.im.message.delete({ path });
  assert.deepEqual(platform.chat("ou_bob").messages, []);
  assert.equal(await refusalOf(reply(client, path.message_id, { text: "late" })), "400/230011");
});

Deno.test("FeishuPlatform keeps reactions of the bot and of people apart", async () => {
  await using platform = await FeishuPlatform.start();
  const { messageId } = platform.userSays({ text: "hello" });
  const client = sdkClient(platform);
  const path = { message_id: messageId };
  const react = (emoji_type: string) =>
    client.im.messageReaction.create({ path, data: { reaction_type: { emoji_type } } });
  const added = await react("THUMBSUP");
  platform.userReacts(messageId, "OK", "ou_alice");
  await react("DONE");
  const reaction_id = added.data?.reaction_id ?? "";
  await client.im.messageReaction.delete({ path: { ...path, reaction_id } });
  assert.deepEqual(platform.message(messageId).reactions, [
    { emoji: "OK", by: "ou_alice" },
    { emoji: "DONE", by: "bot" },
  ]);
  assert.equal(await refusalOf(react("NO_SUCH_EMOJI")), "400/231001");
  const again = client.im.messageReaction.delete({ path: { ...path, reaction_id } });
  assert.equal(await refusalOf(again), "400/231011");
});

Deno.test("FeishuPlatform limits a chat to five messages a second and says when to go on", async () => {
  const clock = new ManualClock();
  await using platform = await FeishuPlatform.start({ clock });
  platform.addPerson("ou_bob");
  platform.addPerson("ou_carol");
  const client = sdkClient(platform);
  for (const text of ["1", "2", "3", "4", "5"]) await sendText(client, "ou_bob", text);
  const { status, code, headers } = await refusal(sendText(client, "ou_bob", "6"));
  assert.deepEqual([status, code], [429, 99991400]);
  assert.equal(headers["x-ogw-ratelimit-limit"], "5");
  assert.equal(headers["x-ogw-ratelimit-reset"], "1");
  await sendText(client, "ou_carol", "another chat");
  await clock.advance(1_000);
  await sendText(client, "ou_bob", "6");
  assert.equal(platform.chat("ou_bob").fromBot.length, 6);
});

Deno.test("FeishuPlatform has no limits when a test switches them off", async () => {
  await using platform = await FeishuPlatform.start({ limits: NO_LIMITS });
  platform.addPerson("ou_bob");
  const client = sdkClient(platform);
  for (let n = 0; n < 20; n++) await sendText(client, "ou_bob", `${n}`);
  assert.equal(platform.chat("ou_bob").fromBot.length, 20);
});

const OK_TEXT = '{"text":"x"}';

function tableCard(tables: number, page_size = 5): string {
  return JSON.stringify({
    elements: Array.from({ length: tables }, () => ({
      tag: "table",
      page_size,
      columns: [{ name: "a", display_name: "A" }],
      rows: [{ a: "1" }],
    })),
  });
}

Deno.test.each([
  { what: "an unknown chat", to: "oc_nowhere", type: "text", content: OK_TEXT, code: 230002 },
  { what: "an unknown person", to: "ou_nobody", type: "text", content: OK_TEXT, code: 230013 },
  { what: "video as a type", to: "ou_bob", type: "video", content: "{}", code: 230001 },
  { what: "content that is no JSON", to: "ou_bob", type: "text", content: "x", code: 230001 },
  { what: "an empty text", to: "ou_bob", type: "text", content: '{"text":""}', code: 230001 },
  { what: "a text of a wrong type", to: "ou_bob", type: "text", content: '{"text":1}', code: 9499 },
  {
    what: "a text above 150 KB",
    to: "ou_bob",
    type: "text",
    content: JSON.stringify({ text: "x".repeat(150 * 1024) }),
    code: 230025,
  },
  {
    what: "a post above 30 KB",
    to: "ou_bob",
    type: "post",
    content: JSON.stringify({
      zh_cn: { content: [[{ tag: "text", text: "x".repeat(30 * 1024) }]] },
    }),
    code: 230025,
  },
  {
    what: "a post with an unknown element",
    to: "ou_bob",
    type: "post",
    content: '{"zh_cn":{"content":[[{"tag":"blink","text":"x"}]]}}',
    code: 230001,
  },
  {
    what: "a card above 30 KB",
    to: "ou_bob",
    type: "interactive",
    content: JSON.stringify({ elements: [{ tag: "markdown", content: "x".repeat(30 * 1024) }] }),
    code: 230025,
  },
  {
    what: "a card with six tables",
    to: "ou_bob",
    type: "interactive",
    content: tableCard(6),
    code: 230099,
  },
  {
    what: "a table with eleven rows a page",
    to: "ou_bob",
    type: "interactive",
    content: tableCard(1, 11),
    code: 230099,
  },
  {
    what: "an unknown card entity",
    to: "ou_bob",
    type: "interactive",
    content: '{"type":"card","data":{"card_id":"7"}}',
    code: 230099,
  },
  {
    what: "an unknown image",
    to: "ou_bob",
    type: "image",
    content: '{"image_key":"img_x"}',
    code: 230001,
  },
])("FeishuPlatform refuses $what with $code", async ({ to, type, content, code }) => {
  await using platform = await FeishuPlatform.start();
  platform.addPerson("ou_bob");
  const sending = sdkClient(platform).im.message.create({
    params: { receive_id_type: to.startsWith("oc_") ? "chat_id" : "open_id" },
    data: { receive_id: to, msg_type: type, content },
  });
  assert.equal(await refusalOf(sending), `400/${code}`);
  assert.deepEqual(platform.chat("ou_bob").messages, []);
});

Deno.test("FeishuPlatform takes five tables, and names the code 11310 at the sixth", async () => {
  await using platform = await FeishuPlatform.start();
  platform.addPerson("ou_bob");
  const send = (content: string) =>
    sdkClient(platform).im.message.create({
      params: { receive_id_type: "open_id" },
      data: { receive_id: "ou_bob", msg_type: "interactive", content },
    });
  await send(tableCard(5));
  const { message } = await refusal(send(tableCard(6)));
  assert.match(message, /ErrCode: 11310/);
});

Deno.test("FeishuPlatform refuses topics where the chat does not allow them", async () => {
  await using platform = await FeishuPlatform.start();
  platform.addGroup("oc_flat", { allowsTopics: false });
  const { messageId } = platform.userSays({ chatId: "oc_flat", text: "hello" });
  const client = sdkClient(platform);
  const inTopic = reply(client, messageId, { text: "x", reply_in_thread: true });
  assert.equal(await refusalOf(inTopic), "400/230071");
  await reply(client, messageId, { text: "x" });
  platform.removeBot("oc_flat");
  assert.equal(await refusalOf(reply(client, messageId, { text: "x" })), "400/230002");
});
