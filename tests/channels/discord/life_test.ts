import assert from "node:assert/strict";
import { UPGRADE } from "../../simulators/discord_server.ts";
import { LONG_STEP_MS } from "../../support/channel_bench.ts";
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
  const isBack = () => harness.platform.connections.length === 2;
  await harness.passUntil(isBack, "another connection", LONG_STEP_MS);
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
  await harness.passUntil(() => connection?.heartbeats.length === 1, "a heartbeat", LONG_STEP_MS);
  const [before = 0] = connection?.heartbeats ?? [];
  gate.resolve();
  await harness.texts(1);
  await harness.passUntil(() => connection?.heartbeats.length === 2, "a heartbeat", LONG_STEP_MS);
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

Deno.test.each(
  [
    ["the handshake is answered with 503", UPGRADE, { kind: "status", status: 503 }],
    ["a call is answered with 502", "gateway.bot", { kind: "status", status: 502 }],
    ["a call is answered with a page", "gateway.bot", { kind: "garbled_answer" }],
    ["a call is answered in half", "gateway.bot", { kind: "half_answer" }],
    ["calls are too many", "gateway.bot", { kind: "rate", retryAfterMs: 3_000 }],
  ] as const,
)("Discord connects again although %s, and says so", async (_what, route, fault) => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.faults.plant(route, fault, 2);
  platform.connections[0]?.close(4009); // its session is over
  const states = (): readonly string[] => gateway.states.map(({ state }) => state);
  await harness.passUntil(() => states().filter((state) => state === "ready").length === 2, "it");
  const lost = gateway.states.filter(({ state }) => state === "reconnecting");
  assert.equal(lost.length, 3);
  assert.match(lost[0]?.detail ?? "", /^the connection was closed \(code 4009\); attempt 1 in/);
  assert.match(lost[2]?.detail ?? "", /; attempt 3 in \d+ s$/);
  harness.says("there?");
  assert.deepEqual(await harness.texts(1), ["there?"]);
});

Deno.test.each([4004, 4010, 4011, 4012, 4013, 4014])(
  "Discord ends when its connection is closed with %d, with what to do about it",
  async (code) => {
    await using harness = await Harness.ready();
    harness.platform.connections[0]?.close(code);
    const isOver = () => harness.gateway.states.at(-1)?.state === "failed";
    await harness.passUntil(isOver, "the end");
    await assert.rejects(harness.ended, { code: "discord_credentials", recovery: "give_up" });
    const { detail = "" } = harness.gateway.states.at(-1) ?? {};
    assert.match(detail, new RegExp(`^Cannot sign in to Discord: .{20,} \\(code ${code}\\)$`));
  },
);

Deno.test.each([1000, 1001, 1006, 4000, 4001, 4002, 4003, 4005, 4007, 4008, 4009])(
  "Discord comes back when its connection is closed with %d, and misses nothing",
  async (code) => {
    await using harness = await Harness.ready();
    const { platform } = harness;
    harness.says("before");
    await harness.texts(1);
    const [connection] = platform.connections;
    if (code === 1006) platform.openConnections[0]?.cut();
    else connection?.close(code);
    harness.says("meanwhile");
    assert.deepEqual(await harness.texts(2), ["before", "meanwhile"]);
  },
);

Deno.test("Discord connects again when the gateway says what is no frame", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  platform.connections[0]?.babble("<html>");
  await harness.passUntil(() => platform.connections.length === 2, "another connection");
  await harness.isReady();
  harness.says("there?");
  assert.deepEqual(await harness.texts(1), ["there?"]);
});
