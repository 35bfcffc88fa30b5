import assert from "node:assert/strict";
import type { Delivery, LookUp } from "../../../channels/channel.ts";
import { Harness } from "./harness.ts";

const KEY = "turn-1:0";

function deliveryOf(harness: Harness, changes: Partial<Delivery>): Delivery {
  return {
    key: KEY,
    chatId: "ou_alice",
    phase: "final",
    text: "",
    isPlain: false,
    activity: "",
    media: [],
    context: {},
    channelState: harness.gateway.memory.get(KEY) ?? null,
    settles: [],
    ...changes,
  };
}

async function lookUp(harness: Harness, changes: Partial<Delivery>): Promise<LookUp | undefined> {
  const delivery = deliveryOf(harness, changes);
  return await harness.life.channel.lookUp?.(delivery, new AbortController().signal);
}

Deno.test.each([
  { text: "Hello", kind: "a text" },
  { text: "see [here](https://example.com) and @Alice (ou_alice)", kind: "a post" },
  { text: "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |", kind: "a card" },
])("Feishu finds $kind whose sending had no clear end", async ({ text }) => {
  await using harness = await Harness.ready({ section: { doneEmoji: "OK" } });
  const { platform, clock } = harness;
  const said = platform.userSays({ text: "hello" });
  await said.acknowledged;
  const context = { message_id: said.messageId };
  platform.faults.plant("im.message.create", { kind: "lost_answer" });
  await assert.rejects(harness.deliver({ key: KEY, text, context }));
  await clock.advance(3_600_000);
  await harness.restart();
  const settles = [{ platformId: said.messageId, outcome: "done", channelState: null } as const];
  assert.equal(await lookUp(harness, { text, context, settles }), "arrived");
  assert.deepEqual(platform.message(said.messageId).reactions.map(({ emoji }) => emoji), ["OK"]);
  assert.equal(platform.chat("ou_alice").fromBot.length, 1);
});

Deno.test("Feishu says that nothing is there when nothing arrived, and then sends", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  const said = platform.userSays({ text: "hello" });
  await said.acknowledged;
  const context = { message_id: said.messageId };
  platform.faults.plant("im.message.create", { kind: "status", status: 500 });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello", context }));
  await clock.advance(3_600_000);
  assert.equal(await lookUp(harness, { text: "Hello", context }), "absent");
  await harness.deliver({ key: KEY, text: "Hello", context });
  assert.deepEqual(platform.chat("ou_alice").fromBot.map(({ text }) => text), ["Hello"]);
});

Deno.test("Feishu sends only what is missing after a look", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  platform.addGroup("oc_team");
  const table = "| a |\n|---|\n| 1 |";
  const text = Array.from({ length: 7 }, (_, index) => `Table ${index}\n\n${table}`).join("\n\n");
  platform.faults.plant("im.message.create", { kind: "lost_answer" });
  await assert.rejects(harness.deliverInTime({ key: KEY, chatId: "oc_team", text }));
  await clock.advance(3_600_000);
  assert.equal(await lookUp(harness, { chatId: "oc_team", text }), "absent");
  const ids = await harness.deliverInTime({ key: KEY, chatId: "oc_team", text });
  const shown = platform.chat("oc_team").fromBot;
  assert.deepEqual(shown.map(({ messageId }) => messageId), ids);
  assert.equal(shown.length, 2);
});

Deno.test("Feishu cannot tell in a direct chat of which it knows no message", async () => {
  await using harness = await Harness.ready();
  const { platform, clock } = harness;
  platform.faults.plant("im.message.create", { kind: "lost_answer" });
  await assert.rejects(harness.deliver({ key: KEY, text: "Hello" }));
  await clock.advance(3_600_000);
  assert.equal(await lookUp(harness, { text: "Hello" }), "cannot_tell");
  await harness.deliver({ key: KEY, text: "Hello", notice: "(perhaps a second time)" });
  const shown = platform.chat("ou_alice").fromBot.map(({ text }) => text);
  assert.deepEqual(shown, ["Hello", "(perhaps a second time)", "Hello"]);
});
