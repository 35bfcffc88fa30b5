import assert from "node:assert/strict";
import { Harness } from "./harness.ts";

Deno.test("Discord resumes its session after the connection broke, and misses nothing", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  harness.says("before");
  await harness.texts(1);
  platform.openConnections[0]?.cut();
  await harness.passUntil(() => platform.openConnections.length === 0, "the end");
  harness.says("meanwhile");
  assert.deepEqual(await harness.texts(2), ["before", "meanwhile"]);
  assert.deepEqual(platform.connections.map(({ entrance }) => entrance), ["identify", "resume"]);
});

Deno.test.each([
  { word: "is asked to reconnect", does: "ask" },
  { word: "is closed with 4000", does: "close" },
])("Discord resumes when it $word", async ({ does }) => {
  await using harness = await Harness.ready();
  const [connection] = harness.platform.connections;
  if (does === "ask") connection?.askToReconnect();
  else connection?.close(4000);
  await harness.passUntil(() => harness.platform.connections.length === 2, "another connection");
  await harness.isReady();
  harness.says("there?");
  await harness.texts(1);
  assert.equal(harness.platform.connections[1]?.entrance, "resume");
});

Deno.test("Discord looks for what it missed when its session is gone", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  harness.says("before");
  await harness.texts(1);
  platform.goOffline();
  await harness.passUntil(
    () => harness.gateway.states.at(-1)?.state === "reconnecting",
    "the loss",
  );
  platform.forgetSessions();
  for (let index = 0; index < 130; index++) harness.says(`meanwhile ${index}`);
  platform.comeBack();
  const texts = await harness.texts(131);
  const missed = Array.from({ length: 130 }, (_, index) => `meanwhile ${index}`);
  assert.deepEqual(texts, ["before", ...missed]);
  harness.says("after");
  assert.equal((await harness.texts(132)).at(-1), "after");
  assert.deepEqual(new Set(texts).size, 131);
});

Deno.test("Discord looks again after a restart when that was cut short", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  harness.says("before");
  await harness.texts(1);
  await harness.stop();
  platform.forgetSessions();
  harness.says("meanwhile");
  platform.faults.plant("message.list", { kind: "status", status: 503 }, Infinity);
  await harness.restart();
  await harness.letPass(3_000);
  await harness.stop();
  platform.faults.clear();
  await harness.restart();
  assert.deepEqual(await harness.texts(2), ["before", "meanwhile"]);
});

Deno.test("Discord takes no message before one that the gateway refused", async () => {
  await using harness = await Harness.ready();
  harness.gateway.answers.push("refused");
  for (const text of ["one", "two", "three"]) harness.says(text);
  assert.deepEqual(await harness.texts(3), ["one", "two", "three"]);
});

Deno.test("Discord notices a gateway that answers no heartbeats", async () => {
  await using harness = await Harness.ready();
  const [connection] = harness.platform.connections;
  if (connection !== undefined) connection.isDeaf = true;
  await harness.passUntil(() => harness.platform.connections.length === 2, "another connection");
  await harness.isReady();
  assert.match(
    harness.gateway.states.find(({ state }) => state === "reconnecting")?.detail ?? "",
    /heartbeats/,
  );
});

Deno.test("Discord names in its heartbeats what need not come again", async () => {
  await using harness = await Harness.ready();
  const gate = Promise.withResolvers<void>();
  harness.gateway.gate = gate.promise;
  harness.says("held");
  const [connection] = harness.platform.connections;
  await harness.passUntil(() => connection?.heartbeats.length === 1, "a heartbeat");
  const [before = 0] = connection?.heartbeats ?? [];
  gate.resolve();
  await harness.texts(1);
  await harness.passUntil(() => connection?.heartbeats.length === 2, "a heartbeat");
  assert.equal(connection?.heartbeats[1], (before ?? 0) + 1);
});

Deno.test.each([
  { code: 4014, says: /Message Content Intent/ },
  { code: 4013, says: /intents/ },
])("Discord gives up on close code $code, and says what to do", async ({ code, says }) => {
  await using harness = await Harness.start(
    code === 4013 ? { section: { intents: 2 ** 30 } } : {},
  );
  if (code === 4014) harness.platform.intentsAllowed = 0;
  await harness.passUntil(() => harness.gateway.states.at(-1)?.state === "failed", "the end");
  await assert.rejects(harness.ended, { code: "discord_credentials", recovery: "give_up" });
  assert.match(harness.gateway.states.at(-1)?.detail ?? "", says);
});

Deno.test("Discord waits when too many sessions were begun today", async () => {
  await using harness = await Harness.start();
  harness.platform.sessionsLeft = 0;
  await harness.passUntil(
    () => harness.gateway.states.at(-1)?.state === "reconnecting",
    "the wait",
  );
  assert.match(harness.gateway.states.at(-1)?.detail ?? "", /too many sessions/);
  harness.platform.sessionsLeft = 1;
  await harness.clock.advance(3_600_000);
  await harness.isReady();
});

Deno.test("Discord tells the platform of its commands once, and only of new ones", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  await harness.passUntil(() => platform.commands.length > 0, "commands");
  assert.deepEqual(platform.commands.map(({ name, options }) => [name, options.length]), [
    ["new", 0],
    ["dream-log", 1],
  ]);
  await harness.restart();
  await harness.letPass(1_000);
  assert.equal(platform.calls("commands.put").length, 1);
});
