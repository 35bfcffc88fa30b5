import assert from "node:assert/strict";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { choiceBlocks, readChoice } from "../../../channels/slack/choice_value.ts";
import { ALICE_CHAT, Harness, TEAM } from "./harness.ts";

const CHOICES = [
  { label: "Approve", says: "/approve q1" },
  { label: "Deny", says: "/deny q1" },
];

async function ask(harness: Harness, chatId: string, context: JsonObject = {}): Promise<string> {
  const question = { key: "q", chatId, text: "May I?", choices: CHOICES, context };
  return (await harness.deliver(question))[0] ?? "";
}

Deno.test("Slack has a press acknowledged once it is durable, and sends it again before", async () => {
  await using harness = await Harness.ready();
  harness.gateway.answers.push("refused");
  const press = harness.platform.presses(ALICE_CHAT, await ask(harness, ALICE_CHAT), "Deny");
  assert.deepEqual(await harness.texts(1), ["/deny q1"]);
  await harness.passUntil(() => press.isAcknowledged, "an acknowledgement");
  assert.equal(press.attempts, 2);
});

Deno.test.each([
  { rule: "of direct chats", section: { dm: { policy: "allowlist", allowFrom: ["UBOB"] } } },
  { rule: "that there are no direct chats", section: { dm: { enabled: false } } },
  { rule: "of who may speak", section: { allowFrom: ["UBOB"] } },
  {
    rule: "of channels",
    section: { groupPolicy: "allowlist", groupAllowFrom: ["C0OTHER"] },
    chatId: TEAM,
  },
])("Slack keeps the rule $rule for presses", async ({ section, chatId = ALICE_CHAT }) => {
  await using harness = await Harness.ready(section);
  const press = harness.platform.presses(chatId, await ask(harness, chatId), "Approve");
  await harness.passUntil(() => press.isAcknowledged, "an acknowledgement");
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test("Slack shows no buttons to one person alone, as they could not go again", async () => {
  await using harness = await Harness.ready();
  await ask(harness, TEAM, { channel: TEAM, whisper_to: "UALICE" });
  assert.deepEqual(harness.platform.seen(TEAM).map(({ text, buttons }) => [text, buttons]), [
    ["May I?", []],
  ]);
});

Deno.test("Slack's message stays when its buttons cannot be taken away", async () => {
  await using harness = await Harness.ready();
  await ask(harness, TEAM);
  harness.platform.faults.plant(["chat.update"], { kind: "refusal", error: "edit_window_closed" });
  await harness.deliver({ key: "end", chatId: TEAM, text: "Denied.", closes: "q" });
  const seen = harness.platform.seen(TEAM);
  assert.deepEqual(seen.map(({ text }) => text), ["May I?", "Denied."]);
});

Deno.test("Slack passes over interactions that are no buttons of ours", async () => {
  await using harness = await Harness.ready();
  const { sockets } = harness.platform;
  const container = { channel_id: ALICE_CHAT, message_ts: "1.000001" };
  const press = { type: "block_actions", user: { id: "UALICE" }, container };
  const told = [
    sockets.deliver("interactive", { type: "view_submission", user: { id: "UALICE" } }),
    sockets.deliver("interactive", { ...press, actions: [{ value: "approve" }] }),
    sockets.deliver("interactive", { ...press, actions: [{ value: '{"says":"hi"}' }] }),
    sockets.deliver("interactive", { ...press, actions: [] }),
  ];
  await harness.passUntil(() => told.every((one) => one.isAcknowledged), "acknowledgements");
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test("Slack's buttons carry at most 2,000 characters", () => {
  const blocks = (says: string) =>
    choiceBlocks({ context: { channel: "C1" }, choices: [{ label: "Yes", says }] });
  assert.equal(blocks("x".repeat(1_900)).length, 1);
  assert.deepEqual(blocks("x".repeat(2_000)), []);
  assert.equal(readChoice("{"), undefined);
});
