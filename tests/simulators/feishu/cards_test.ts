/**
 * Card entities as the official SDK meets them.
 * @module
 */

import assert from "node:assert/strict";
import type { Client } from "@larksuiteoapi/node-sdk";
import { ManualClock } from "../../support/manual_clock.ts";
import { FeishuPlatform, NO_LIMITS } from "../feishu_server.ts";
import { refusalOf, sdkClient } from "./sdk.ts";

const ELEMENT_ID = "body_md";

function cardJson(content = "", streaming_mode = true): string {
  return JSON.stringify({
    schema: "2.0",
    config: { streaming_mode, update_multi: true },
    body: { elements: [{ tag: "markdown", content, element_id: ELEMENT_ID }] },
  });
}

/** A card in Bob's chat, and the operations on it. */
class CardUnderTest {
  readonly platform: FeishuPlatform;
  readonly client: Client;
  readonly cardId: string;

  private constructor(platform: FeishuPlatform, client: Client, cardId: string) {
    this.platform = platform;
    this.client = client;
    this.cardId = cardId;
  }

  static async open(platform: FeishuPlatform, data = cardJson()): Promise<CardUnderTest> {
    platform.addPerson("ou_bob");
    const client = sdkClient(platform);
    const created = await client.cardkit.v1.card.create({ data: { type: "card_json", data } });
    const card = new CardUnderTest(platform, client, created.data?.card_id ?? "");
    await card.send();
    return card;
  }

  get view() {
    return this.platform.chat("ou_bob").fromBot.at(-1);
  }

  send() {
    const content = JSON.stringify({ type: "card", data: { card_id: this.cardId } });
    return this.client.im.message.create({
      params: { receive_id_type: "open_id" },
      data: { receive_id: "ou_bob", msg_type: "interactive", content },
    });
  }

  write(content: string, sequence: number, { uuid, elementId = ELEMENT_ID }: {
    readonly uuid?: string;
    readonly elementId?: string;
  } = {}) {
    return this.client.cardkit.v1.cardElement.content({
      path: { card_id: this.cardId, element_id: elementId },
      data: { content, sequence, ...(uuid !== undefined && { uuid }) },
    });
  }

  settings(config: Record<string, unknown>, sequence: number) {
    return this.client.cardkit.v1.card.settings({
      path: { card_id: this.cardId },
      data: { settings: JSON.stringify({ config }), sequence },
    });
  }
}

Deno.test("FeishuPlatform shows a card that grows and is then closed", async () => {
  await using platform = await FeishuPlatform.start();
  const card = await CardUnderTest.open(platform);
  await card.write("Hel", 1);
  assert.deepEqual([card.view?.card?.isStreaming, card.view?.card?.summary], [
    true,
    "[Generating…]",
  ]);
  await card.write("Hello", 2);
  await card.settings({ streaming_mode: false, summary: { content: "a greeting" } }, 3);
  assert.deepEqual(card.view?.texts, ["", "Hel", "Hello"]);
  assert.partialDeepStrictEqual(card.view?.card, {
    cardId: card.cardId,
    isStreaming: false,
    summary: "a greeting",
    sequence: 3,
  });
  assert.match(card.cardId, /^\d{1,20}$/);
});

Deno.test.each([0, -1, 1, 2, 2 ** 31])(
  "FeishuPlatform refuses the sequence %s after 2",
  async (sequence) => {
    await using platform = await FeishuPlatform.start();
    const card = await CardUnderTest.open(platform);
    await card.write("two", 2);
    assert.equal(await refusalOf(card.write("other", sequence)), "400/300317");
    assert.equal(card.view?.text, "two");
  },
);

Deno.test("FeishuPlatform runs a repeated uuid once and refuses it with other contents", async () => {
  await using platform = await FeishuPlatform.start();
  const card = await CardUnderTest.open(platform);
  await card.write("one", 1, { uuid: "u" });
  await card.write("two", 2);
  await card.write("one", 1, { uuid: "u" });
  assert.equal(card.view?.text, "two");
  assert.equal(await refusalOf(card.write("three", 3, { uuid: "u" })), "400/200770");
});

Deno.test("FeishuPlatform refuses text once streaming was switched off, until it is on", async () => {
  await using platform = await FeishuPlatform.start();
  const card = await CardUnderTest.open(platform);
  await card.settings({ streaming_mode: false }, 1);
  assert.equal(await refusalOf(card.write("late", 2)), "400/300309");
  await card.settings({ streaming_mode: true }, 3);
  await card.write("late", 4);
  assert.equal(card.view?.text, "late");
});

Deno.test("FeishuPlatform ends streaming ten minutes after it was switched on", async () => {
  const clock = new ManualClock();
  await using platform = await FeishuPlatform.start({ clock });
  const card = await CardUnderTest.open(platform);
  await clock.advance(599_999);
  await card.write("in time", 1);
  await clock.advance(1);
  assert.equal(card.view?.card?.isStreaming, false);
  assert.equal(await refusalOf(card.write("late", 2)), "400/200850");
  await card.client.cardkit.v1.cardElement.patch({
    path: { card_id: card.cardId, element_id: ELEMENT_ID },
    data: { partial_element: '{"content":"patched"}', sequence: 3 },
  });
  assert.equal(await refusalOf(card.write("still late", 4)), "400/200850");
  await card.settings({ streaming_mode: true }, 5);
  await card.write("again", 6);
  assert.deepEqual(card.view?.texts, ["", "in time", "patched", "again"]);
});

Deno.test("FeishuPlatform replaces a whole card without streaming", async () => {
  await using platform = await FeishuPlatform.start();
  const card = await CardUnderTest.open(platform, cardJson("old", false));
  await card.client.cardkit.v1.card.update({
    path: { card_id: card.cardId },
    data: { card: { type: "card_json", data: cardJson("new", false) }, sequence: 1 },
  });
  assert.equal(card.view?.text, "new");
});

Deno.test("FeishuPlatform adds, changes and removes elements", async () => {
  await using platform = await FeishuPlatform.start();
  const card = await CardUnderTest.open(platform, cardJson("text"));
  const path = { card_id: card.cardId };
  const element = { tag: "markdown", content: "tools", element_id: "tools_md" };
  const { cardElement, card: whole } = card.client.cardkit.v1;
  await cardElement.create({
    path,
    data: {
      type: "insert_before",
      target_element_id: ELEMENT_ID,
      elements: JSON.stringify([element]),
      sequence: 1,
    },
  });
  assert.equal(card.view?.text, "tools\ntext");
  await cardElement.update({
    path: { ...path, element_id: "tools_md" },
    data: { element: JSON.stringify({ ...element, content: "done" }), sequence: 2 },
  });
  assert.equal(card.view?.text, "done\ntext");
  const actions = [
    { action: "delete_elements", params: { element_ids: ["tools_md"] } },
    {
      action: "add_elements",
      params: { type: "append", elements: [{ tag: "markdown", content: "end" }] },
    },
    {
      action: "partial_update_setting",
      params: { settings: { config: { streaming_mode: false } } },
    },
  ];
  await whole.batchUpdate({ path, data: { actions: JSON.stringify(actions), sequence: 3 } });
  assert.equal(card.view?.text, "text\nend");
  assert.equal(card.view?.card?.isStreaming, false);
  await cardElement.delete({
    path: { ...path, element_id: ELEMENT_ID },
    data: { sequence: 4 },
  });
  assert.equal(card.view?.text, "end");
});

Deno.test("FeishuPlatform sends a card entity only once", async () => {
  await using platform = await FeishuPlatform.start();
  const card = await CardUnderTest.open(platform);
  assert.equal(await refusalOf(card.send()), "400/230099");
});

Deno.test("FeishuPlatform expires a card at the end of its life", async () => {
  const clock = new ManualClock();
  await using platform = await FeishuPlatform.start({ clock, cardRules: { lifeMs: 60_000 } });
  const card = await CardUnderTest.open(platform);
  await clock.advance(60_000);
  await card.settings({ streaming_mode: false }, 1);
  await clock.advance(1);
  assert.equal(await refusalOf(card.settings({ streaming_mode: true }, 2)), "400/200750");
});

const THREE_TABLES = "| a |\n| - |\n| 1 |\n\n".repeat(3);

Deno.test.each([
  { what: "an unknown element", content: "x", elementId: "other_md", code: 300313 },
  { what: "an empty text", content: "", elementId: ELEMENT_ID, code: 10002 },
  { what: "a text above 100,000 characters", content: "x".repeat(100_001), code: 10002 },
  { what: "a text that makes the card too large", content: "x".repeat(30_720), code: 200860 },
  { what: "a text with six tables", content: THREE_TABLES + THREE_TABLES, code: 230099 },
])("FeishuPlatform refuses $what in a card with $code", async ({ content, elementId, code }) => {
  await using platform = await FeishuPlatform.start();
  const card = await CardUnderTest.open(platform);
  const writing = card.write(content, 1, { ...(elementId !== undefined && { elementId }) });
  assert.equal(await refusalOf(writing), `400/${code}`);
  assert.equal(card.view?.card?.sequence, 0);
});

Deno.test("FeishuPlatform does not count tables inside code fences", async () => {
  await using platform = await FeishuPlatform.start();
  const card = await CardUnderTest.open(platform);
  await card.write(`${THREE_TABLES}\n\`\`\`\n${THREE_TABLES}\`\`\`\n`, 1);
  assert.equal(card.view?.card?.sequence, 1);
});

function element(element_id: string) {
  return { tag: "markdown", content: "", element_id };
}

Deno.test.each([
  { what: "JSON 1.0", card: { elements: [] }, code: 10002 },
  {
    what: "an element id that stands twice",
    card: { schema: "2.0", body: { elements: [element("a"), element("a")] } },
    code: 300301,
  },
  {
    what: "an element id of 21 characters",
    card: { schema: "2.0", body: { elements: [element("a".repeat(21))] } },
    code: 300303,
  },
  {
    what: "201 elements",
    card: { schema: "2.0", body: { elements: Array.from({ length: 201 }, () => ({ tag: "hr" })) } },
    code: 230099,
  },
])("FeishuPlatform refuses a card entity with $what", async ({ card, code }) => {
  await using platform = await FeishuPlatform.start();
  const creating = sdkClient(platform).cardkit.v1.card.create({
    data: { type: "card_json", data: JSON.stringify(card) },
  });
  assert.equal(await refusalOf(creating), `400/${code}`);
});

Deno.test.each([
  { limits: {}, eleventh: 429 },
  { limits: NO_LIMITS, eleventh: 200 },
])("FeishuPlatform answers the eleventh operation within a second with $eleventh", async (
  { limits, eleventh },
) => {
  await using platform = await FeishuPlatform.start({ clock: new ManualClock(), limits });
  const card = await CardUnderTest.open(platform);
  for (let sequence = 1; sequence <= 10; sequence++) await card.write(`${sequence}`, sequence);
  await card.write("11", 11).catch(() => {});
  assert.equal(platform.calls("cardkit.cardElement.content").at(-1)?.status, eleventh);
});

Deno.test("FeishuPlatform refuses an unknown card with 200740", async () => {
  await using platform = await FeishuPlatform.start();
  const setting = sdkClient(platform).cardkit.v1.card.settings({
    path: { card_id: "42" },
    data: { settings: "{}", sequence: 1 },
  });
  assert.equal(await refusalOf(setting), "400/200740");
});

Deno.test("FeishuPlatform tells a bot's card as rows of text when it is read back", async () => {
  await using platform = await FeishuPlatform.start();
  const card = await CardUnderTest.open(platform);
  await card.write("one\ntwo", 1);
  const path = { message_id: card.view?.messageId ?? "" };
  const answer = await card.client.im.message.get({ path });
  assert.deepEqual(JSON.parse(answer.data?.items?.[0]?.body?.content ?? ""), {
    title: "",
    elements: [[{ tag: "text", text: "one" }], [{ tag: "text", text: "two" }]],
  });
});
