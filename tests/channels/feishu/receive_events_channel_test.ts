import assert from "node:assert/strict";
import type { Said } from "../../simulators/feishu_server.ts";
import { settle, until } from "../../support/until.ts";
import { Harness, LogRecorder } from "./harness.ts";

/** The platform sends what nobody took again after an hour and five minutes. */
const LATER_MS = 65 * 60_000;
const ONE_MORE_ATTEMPT = { redelivery: { acknowledgeWithinMs: 3_000, delaysMs: [LATER_MS] } };

async function sendAgainLater({ clock }: Harness, said: Said): Promise<void> {
  await clock.advance(LATER_MS);
  await said.acknowledged;
}

const RECALLS = { subscribedEvents: ["im.message.recalled_v1"] } as const;

Deno.test("Feishu passes on that a message was taken back", async () => {
  await using harness = await Harness.ready({ platform: RECALLS });
  const { platform, gateway } = harness;
  const said = platform.userSays({ text: "never mind" });
  await said.acknowledged;
  platform.userRecalls(said.messageId);
  await until(() => gateway.withdrawn.length === 1);
  assert.deepEqual(gateway.withdrawn, [said.messageId]);
});

Deno.test("Feishu greets a group that it is put into, once", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const added = platform.botAddedTo("oc_new");
  await added.acknowledged;
  await until(() => platform.chat("oc_new").fromBot.length === 1);
  platform.repeatEvent(added.eventId);
  await platform.userSays({ text: "later" }).acknowledged;
  await settle();
  assert.deepEqual(platform.chat("oc_new").fromBot.map(({ text }) => text), [
    "Hello, I am Troupe. Mention me (@Troupe) and I will answer. /help says what I understand.",
  ]);
});

Deno.test("Feishu greets again when it is put into a group again", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  await platform.botAddedTo("oc_new").acknowledged;
  await platform.botAddedTo("oc_new").acknowledged;
  await until(() => platform.chat("oc_new").fromBot.length === 2);
  const [first, second] = platform.chat("oc_new").fromBot.map(({ text }) => text);
  assert.match(second ?? "", /^Hello, I am Troupe/);
  assert.equal(second, first);
});

Deno.test("Feishu greets no group into which a stranger puts it", async () => {
  await using harness = await Harness.ready({ section: { allowFrom: ["ou_owner"] } });
  const { platform } = harness;
  await platform.botAddedTo("oc_new", "ou_stranger").acknowledged;
  await platform.botAddedTo("oc_own", "ou_owner").acknowledged;
  await until(() => platform.chat("oc_own").fromBot.length === 1);
  assert.deepEqual(platform.chat("oc_new").fromBot, []);
});

Deno.test("Feishu says in a greeting that it reads along under the open policy", async () => {
  await using harness = await Harness.ready({ section: { groupPolicy: "open" } });
  const { platform } = harness;
  await platform.botAddedTo("oc_new").acknowledged;
  await until(() => platform.chat("oc_new").fromBot.length === 1);
  assert.match(platform.chat("oc_new").fromBot[0]?.text ?? "", /answer every message/);
});

Deno.test.each([
  "im.message.message_read_v1",
  "im.message.reaction.created_v1",
  "im.message.reaction.deleted_v1",
  "im.chat.access_event.bot_p2p_chat_entered_v1",
  "im.chat.member.bot.deleted_v1",
  "im.message.recalled_v1",
  "im.chat.member.bot.added_v1",
  "something.new_v9",
])("Feishu acknowledges %s quietly, whatever is in it", async (eventType) => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const before = platform.calls().length;
  await platform.sendEvent(eventType, { odd: [1, null] }).acknowledged;
  assert.deepEqual(gateway.inbounds, []);
  assert.equal(platform.calls().length, before);
  const loud = recorder.records.filter(({ level }) => level === "warning" || level === "error");
  assert.deepEqual(loud.map(({ rawMessage }) => rawMessage), []);
});

Deno.test("Feishu tells how late a message comes that the platform sends again", async () => {
  await using harness = await Harness.ready({ platform: ONE_MORE_ATTEMPT });
  const { platform, gateway, clock } = harness;
  await platform.userSays({ text: "in time" }).acknowledged;
  gateway.answers.push("refused");
  const late = platform.userSays({ text: "late" });
  await until(() => gateway.answers.length === 0);
  await clock.advance(3_100);
  await sendAgainLater(harness, late);
  assert.deepEqual(await harness.texts(), [
    "in time",
    "[sent 1 h 5 min ago, delivered late]\nlate",
  ]);
});

Deno.test("Feishu does not carry out a command that comes an hour late", async () => {
  await using recorder = await LogRecorder.start();
  await using harness = await Harness.ready({ platform: ONE_MORE_ATTEMPT });
  const { platform, gateway, clock } = harness;
  await platform.userSays({ text: "in time" }).acknowledged;
  gateway.answers.push("refused");
  const late = platform.userSays({ text: "/new" });
  await until(() => gateway.answers.length === 0);
  await clock.advance(3_100);
  await sendAgainLater(harness, late);
  assert.deepEqual(await harness.texts(), ["in time"]);
  assert.equal(recorder.warnings("Ignored the command").length, 1);
});

Deno.test("Feishu notices a long silence, and its end", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway, clock } = harness;
  await platform.connected();
  await clock.advance(5 * 60_000);
  assert.equal(gateway.states.at(-1)?.detail, "Connected, but silent for 5 minutes");
  assert.equal(gateway.states.at(-1)?.state, "ready");
  await platform.userSays({ text: "here I am" }).acknowledged;
  await until(() => gateway.states.at(-1)?.detail.startsWith("Connected by") === true);
  await clock.advance(4 * 60_000);
  assert.ok(gateway.states.at(-1)?.detail.startsWith("Connected by"));
});

Deno.test("Feishu runs two bots side by side, each with its own app", async () => {
  await using one = await Harness.ready();
  await using two = await Harness.ready();
  await one.platform.userSays({ text: "to one" }).acknowledged;
  await two.platform.userSays({ text: "to two" }).acknowledged;
  assert.deepEqual(await one.texts(), ["to one"]);
  assert.deepEqual(await two.texts(), ["to two"]);
});
