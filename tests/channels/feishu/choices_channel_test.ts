import assert from "node:assert/strict";
import { Harness } from "./harness.ts";

const CHOICES = [
  { label: "Approve", says: "/approve q1" },
  { label: "Deny", says: "/deny q1" },
];
const CONTEXT = { message_id: "om_0", chat_type: "p2p" };

async function asked(harness: Harness): Promise<string> {
  const question = { key: "q", text: "May I use **exec**?", context: CONTEXT, choices: CHOICES };
  const ids = await harness.deliverInTime(question);
  assert.equal(ids.length, 2);
  return ids[1] ?? "";
}

Deno.test("A press says what its button stands for, where the question was asked", async () => {
  await using harness = await Harness.ready();
  const messageId = await asked(harness);
  await harness.platform.userPresses(messageId, "Deny").acknowledged;
  assert.deepEqual(harness.gateway.inbounds, [{
    platformId: `press:${messageId}:ou_alice`,
    chatId: "ou_alice",
    senderId: "ou_alice",
    content: "/deny q1",
    media: [],
    context: CONTEXT,
  }]);
});

Deno.test("A second press is none, but another person may press as well", async () => {
  await using harness = await Harness.ready();
  const messageId = await asked(harness);
  await harness.platform.userPresses(messageId, "Deny").acknowledged;
  await harness.platform.userPresses(messageId, "Approve").acknowledged;
  await harness.platform.userPresses(messageId, "Approve", "ou_bob").acknowledged;
  const said = harness.gateway.inbounds.map(({ senderId, content }) => `${senderId} ${content}`);
  assert.deepEqual(said, ["ou_alice /deny q1", "ou_bob /approve q1"]);
});

Deno.test("A press by somebody who may not speak to the bot is nothing", async () => {
  await using harness = await Harness.ready({ section: { allowFrom: ["ou_alice"] } });
  const messageId = await asked(harness);
  await harness.platform.userPresses(messageId, "Approve", "ou_mallory").acknowledged;
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test("A press in a topic belongs to the topic's session", async () => {
  await using harness = await Harness.ready();
  harness.platform.userSays({ chatId: "oc_g", text: "hi" });
  const context = { message_id: "om_2", chat_type: "group", thread_id: "omt_1", root_id: "om_1" };
  const place = { chatId: "oc_g", context: { ...context, message_id: "" }, choices: CHOICES };
  const ids = await harness.deliverInTime({ key: "q", text: "**May** I?", ...place });
  await harness.platform.userPresses(ids.at(-1) ?? "", "Approve").acknowledged;
  const [press] = harness.gateway.inbounds.filter(({ content }) => content === "/approve q1");
  assert.deepEqual([press?.chatId, press?.sessionKey], ["oc_g", "feishu:oc_g:om_1"]);
});

Deno.test("Buttons go when it is decided, and the card says how", async () => {
  await using harness = await Harness.ready();
  const messageId = await asked(harness);
  await harness.deliverInTime({ key: "end", text: "Denied: I leave it.", closes: "q" });
  const card = harness.platform.message(messageId)?.content ?? "";
  assert.match(card, /Denied: I leave it\./);
  assert.doesNotMatch(card, /button/);
  await harness.deliverInTime({ key: "again", text: "Denied.", closes: "q" });
});

Deno.test.each(["{}", '{"troupe":"other"}', '{"troupe":"choice","says":""}', "[1]"])(
  "A press with the value %s is not ours",
  async (value) => {
    await using harness = await Harness.ready();
    const event = { operator: { open_id: "ou_alice" }, action: { value: JSON.parse(value) } };
    await harness.platform.sendEvent("card.action.trigger", event).acknowledged;
    await harness.platform.sendEvent("card.action.trigger", { action: 1 }).acknowledged;
    assert.deepEqual(harness.gateway.inbounds, []);
  },
);
