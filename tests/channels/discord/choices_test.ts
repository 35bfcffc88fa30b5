import assert from "node:assert/strict";
import { buttonRows, saidBy } from "../../../channels/discord/choice_id.ts";
import type { SimMessage } from "../../simulators/discord_server.ts";
import { Harness, type HarnessOptions } from "./harness.ts";

const CHOICES = [
  { label: "Approve", says: "/approve q1" },
  { label: "Deny", says: "/deny q1" },
];

async function asked(
  options: HarnessOptions = {},
): Promise<{ readonly harness: Harness; readonly message: SimMessage }> {
  const harness = await Harness.ready(options);
  const { team } = harness;
  await harness.deliver({ key: "q", chatId: team.id, text: "May I?", choices: CHOICES });
  const [message] = harness.shown(team);
  if (message === undefined) throw new Error("Cannot press: nothing was shown");
  return { harness, message };
}

Deno.test("Discord acknowledges a press once it is durable, and shows nothing new", async () => {
  const { harness: made, message } = await asked();
  await using harness = made;
  const { platform, alice } = harness;
  const gate = Promise.withResolvers<void>();
  harness.gateway.gate = gate.promise;
  const used = platform.userPresses(message, "Deny", alice);
  const isAcknowledged = (): boolean => used.callback?.type === 6;
  await harness.letPass(1_000);
  assert.equal(isAcknowledged(), false);
  gate.resolve();
  await harness.passUntil(isAcknowledged, "an acknowledgement");
  assert.deepEqual(await harness.texts(1), ["/deny q1"]);
});

Deno.test("Discord tells who may not press, and a press that could not be taken", async () => {
  const { harness: made, message } = await asked();
  await using harness = made;
  const { platform, alice, gateway } = harness;
  const stranger = platform.userPresses(message, "Deny", platform.addPerson("mallory"));
  await harness.passUntil(() => stranger.callback !== null, "a word");
  assert.deepEqual([stranger.callback?.type, stranger.callback?.flags], [4, 64]);
  gateway.answers.push("refused");
  const refused = platform.userPresses(message, "Deny", alice);
  await harness.passUntil(() => refused.callback !== null, "a word");
  assert.match(refused.texts[0] ?? "", /try again/);
  assert.deepEqual(gateway.inbounds, []);
});

Deno.test("Discord takes no press in a channel that is not allowed", async () => {
  const { harness: made, message } = await asked({ section: { allowChannels: ["999"] } });
  await using harness = made;
  const used = harness.platform.userPresses(message, "Approve", harness.alice);
  await harness.passUntil(() => used.callback !== null, "a word");
  assert.match(used.texts[0] ?? "", /may not be used/);
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test("Discord passes over interactions that are no buttons of ours", async () => {
  const { harness: made, message } = await asked();
  await using harness = made;
  const event = { application_id: "1", token: "t", user: { id: harness.alice.id, username: "a" } };
  const data = { custom_id: "menu:1" };
  const rest = { type: 3, channel_id: message.channelId, message: { id: message.id } };
  harness.platform.sendEvent("INTERACTION_CREATE", { ...event, ...rest, id: "1", data });
  harness.platform.sendEvent("INTERACTION_CREATE", { ...event, id: "2", type: 5, data });
  harness.says("still there?");
  assert.deepEqual(await harness.texts(1), ["still there?"]);
});

Deno.test("Discord's buttons carry at most 100 characters, and are five at most", () => {
  const choice = (says: string) => ({ label: "Yes", says });
  assert.equal(buttonRows([choice("x".repeat(96))]).length, 1);
  assert.deepEqual(buttonRows([choice("x".repeat(97))]), []);
  assert.deepEqual(buttonRows([1, 2, 3, 4, 5, 6].map((index) => choice(`${index}`))), []);
  assert.deepEqual([saidBy("say:/deny q"), saidBy("say:"), saidBy("menu")], [
    "/deny q",
    null,
    null,
  ]);
});
