import assert from "node:assert/strict";
import { buttonsOf, saidBy } from "../../../channels/telegram/choice_data.ts";
import { ALICE, GROUP, Harness } from "./harness.ts";

const BO = 1_002;
const CHOICES = [
  { label: "Approve", says: "/approve q1" },
  { label: "Deny", says: "/deny q1" },
];

async function ask(harness: Harness, chatId: number): Promise<number> {
  const question = { key: "q", text: "May I?", chatId: String(chatId), choices: CHOICES };
  return Number((await harness.deliver(question))[0]);
}

Deno.test("Telegram acknowledges a press once it is durable", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  const gate = Promise.withResolvers<void>();
  gateway.gate = gate.promise;
  const press = platform.userPresses(ALICE, await ask(harness, ALICE), "Deny");
  await harness.letPass(1_000);
  assert.deepEqual(platform.answeredPresses, []);
  gate.resolve();
  await harness.passUntil(() => platform.answeredPresses.includes(press), "an acknowledgement");
  assert.deepEqual(await harness.texts(1), ["/deny q1"]);
});

Deno.test("Telegram takes a press that cannot be acknowledged any more", async () => {
  await using harness = await Harness.ready();
  const refusal = { code: 400, description: "Bad Request: query is too old" };
  harness.platform.faults.plant("answerCallbackQuery", { kind: "refusal", ...refusal });
  harness.platform.userPresses(ALICE, await ask(harness, ALICE), "Deny");
  harness.platform.userSays({ text: "and now?" });
  assert.deepEqual(await harness.texts(2), ["/deny q1", "and now?"]);
});

Deno.test("Telegram goes by names for presses as it does for messages", async () => {
  await using harness = await Harness.ready({ section: { allowFrom: ["alice"] } });
  const messageId = await ask(harness, GROUP);
  harness.platform.userPresses(GROUP, messageId, "Approve", BO);
  harness.platform.userPresses(GROUP, messageId, "Deny", ALICE);
  assert.deepEqual(await harness.texts(1), ["/deny q1"]);
});

Deno.test("Telegram takes one press of each person", async () => {
  await using harness = await Harness.ready();
  const messageId = await ask(harness, GROUP);
  harness.platform.userPresses(GROUP, messageId, "Approve", BO);
  harness.platform.userPresses(GROUP, messageId, "Deny", BO);
  harness.platform.userPresses(GROUP, messageId, "Deny", ALICE);
  await harness.texts(2);
  await harness.letPass(500);
  const said = harness.gateway.inbounds.map(({ senderId, content }) => [senderId, content]);
  assert.deepEqual(said, [[String(BO), "/approve q1"], [String(ALICE), "/deny q1"]]);
});

Deno.test("Telegram passes over presses of other buttons, and of none", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const from = { id: ALICE, is_bot: false, first_name: "Alice" };
  const message = { message_id: 1, date: 0, chat: { id: ALICE, type: "private" } };
  platform.sendUpdate({ callback_query: { id: "a", from, message, data: "page:2" } });
  platform.sendUpdate({ callback_query: { id: "b", from, game_short_name: "chess" } });
  platform.sendUpdate({ callback_query: 7 });
  platform.userSays({ text: "still there?" });
  assert.deepEqual(await harness.texts(1), ["still there?"]);
});

Deno.test("Telegram's buttons carry at most 64 bytes, and otherwise there are none", () => {
  const says = "é".repeat(30);
  const [button] = buttonsOf([{ label: "Yes", says }]);
  assert.equal(saidBy(button?.callback_data ?? ""), says);
  assert.deepEqual(buttonsOf([...CHOICES, { label: "No", says: `${says}x` }]), []);
});
