import assert from "node:assert/strict";
import { Harness } from "./harness.ts";

Deno.test("Discord hands a command of the menu in, and answers in its place", async () => {
  await using harness = await Harness.ready();
  const { platform, alice, team } = harness;
  const used = platform.userCommands({
    author: alice,
    channel: team,
    name: "dream-log",
    text: "7",
  });
  assert.deepEqual(await harness.texts(1), ["/dream-log 7"]);
  assert.deepEqual([used.callback?.type, used.callback?.flags], [5, 64]);
  const context = harness.gateway.inbounds[0]?.context ?? {};
  await harness.deliver({ key: "c:0", chatId: team.id, context, text: "Nothing changed" });
  assert.deepEqual(used.texts, ["Nothing changed"]);
  assert.deepEqual(harness.shown(team), []);
});

Deno.test("Discord answers a command in the channel when its time is over", async () => {
  await using harness = await Harness.ready();
  const { platform, alice, team } = harness;
  platform.userCommands({ author: alice, channel: team, name: "new" });
  await harness.texts(1);
  const context = harness.gateway.inbounds[0]?.context ?? {};
  platform.faults.plant("interaction.edit", { kind: "code", status: 401, code: 50027 });
  await harness.deliver({ key: "c:0", chatId: team.id, context, text: "New session" });
  assert.deepEqual(harness.shown(team).map(({ texts }) => texts), [["New session"]]);
});

Deno.test("Discord refuses a stranger's command, seen by them alone", async () => {
  await using harness = await Harness.ready();
  const { platform, team } = harness;
  const author = platform.addPerson("stranger");
  const used = platform.userCommands({ author, channel: team, name: "new" });
  await harness.passUntil(() => used.callback !== null, "a word");
  assert.deepEqual([used.callback?.type, used.callback?.flags], [4, 64]);
  await harness.letPass(500);
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test("Discord takes no command in a channel that is not allowed", async () => {
  await using harness = await Harness.ready({ section: { allowChannels: ["999"] } });
  const { platform, alice, team } = harness;
  const used = platform.userCommands({ author: alice, channel: team, name: "new" });
  await harness.passUntil(() => used.texts.length > 0, "a word");
  assert.match(used.texts[0] ?? "", /may not be used/);
  assert.deepEqual(harness.gateway.inbounds, []);
});

Deno.test("Discord says so when a command could not be taken", async () => {
  await using harness = await Harness.ready();
  const { platform, alice, team } = harness;
  harness.gateway.answers.push("refused");
  const used = platform.userCommands({ author: alice, channel: team, name: "new" });
  await harness.passUntil(() => used.texts.length > 0, "a word");
  assert.match(used.texts[0] ?? "", /try again/);
});
