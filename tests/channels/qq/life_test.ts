import assert from "node:assert/strict";
import { ALICE, Harness } from "./harness.ts";

Deno.test("QQ beats as long as it is connected, and tells how far it read", async () => {
  await using harness = await Harness.ready();
  await harness.asked();
  await harness.letPass(130_000, 500);
  const [connection] = harness.platform.gateway.connections;
  assert.ok((connection?.heartbeats.length ?? 0) >= 3);
  assert.equal(connection?.heartbeats.at(-1), 2);
  assert.equal(harness.platform.gateway.connections.length, 1);
});

Deno.test("QQ connects again when nobody answers its heartbeats", async () => {
  await using harness = await Harness.ready();
  const { gateway } = harness.platform;
  const [connection] = gateway.connections;
  if (connection !== undefined) connection.isDeaf = true;
  await harness.passUntil(() => gateway.connections[1]?.entrance === "resume", "resuming", 500);
  harness.platform.userSays({ from: ALICE, text: "hello" });
  assert.deepEqual(await harness.texts(1), ["hello"]);
});

/** How the bot came in on its second connection, once it has. */
async function secondEntrance(harness: Harness): Promise<string | null> {
  const entrance = () => harness.platform.gateway.connections[1]?.entrance ?? null;
  await harness.passUntil(() => entrance() !== null, "connecting again");
  return entrance();
}

Deno.test.each(
  [
    ["is asked to", "resume", { op: 7 }],
    ["is told that it may", "resume", { op: 9, d: true }],
    ["has no session any more", "identify", { op: 9, d: false }],
  ] as const,
)("QQ connects again when it %s, and does %s", async (_why, entrance, frame) => {
  await using harness = await Harness.ready();
  const { gateway } = harness.platform;
  gateway.connections[0]?.send(frame);
  assert.equal(await secondEntrance(harness), entrance);
  harness.platform.userSays({ from: ALICE, text: "hello" });
  assert.deepEqual(await harness.texts(1), ["hello"]);
});

Deno.test.each(
  [
    [4009, "resume"],
    [4008, "resume"],
    [1006, "resume"],
    [4006, "identify"],
    [4007, "identify"],
    [4900, "identify"],
  ] as const,
)("QQ comes back after code %d by %s", async (code, entrance) => {
  await using harness = await Harness.ready();
  const { gateway } = harness.platform;
  if (code === 1006) gateway.connections[0]?.cut();
  else gateway.connections[0]?.close(code);
  assert.equal(await secondEntrance(harness), entrance);
});

Deno.test.each(
  [
    [4914, /taken down/],
    [4915, /banned/],
    [4014, /may not hear/],
  ] as const,
)("QQ gives up after code %d, with a reason", async (code, reason) => {
  await using harness = await Harness.ready();
  harness.platform.gateway.connections[0]?.close(code);
  let isOver = false;
  const ended = harness.ended.catch((error: unknown) => error).finally(() => isOver = true);
  await harness.passUntil(() => isOver, "the end");
  const error = await ended;
  assert.ok(error instanceof Error);
  assert.match(error.message, reason);
  assert.equal(harness.gateway.states.at(-1)?.state, "failed");
});

Deno.test("QQ gets another token when the gateway does not take one", async () => {
  await using harness = await Harness.ready();
  const { gateway } = harness.platform;
  harness.platform.revokeTokens();
  gateway.connections[0]?.close(4004);
  await harness.passUntil(() => gateway.connections.at(-1)?.entrance === "resume", "resuming");
  harness.platform.userSays({ from: ALICE, text: "hello" });
  assert.deepEqual(await harness.texts(1), ["hello"]);
});

Deno.test("QQ gets one token for all that need one, and another before its end", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const lent = (): number => platform.calls.filter(({ route }) => route === "token").length;
  platform.sending.rights.mayPush = true;
  platform.revokeTokens();
  await Promise.all(["a", "b", "c"].map((key) => harness.deliver({ key, text: key })));
  assert.equal(lent(), 2);
  assert.equal(harness.shown().length, 3);
  await harness.letPass(7_150_000, 20_000);
  await harness.deliver({ key: "d", text: "d" });
  assert.equal(lent(), 3);
});

Deno.test("QQ loses no message over an outage that outlasts many tries", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  platform.goOffline();
  await harness.passUntil(() => gateway.states.at(-1)?.state === "reconnecting", "the loss");
  platform.userSays({ from: ALICE, text: "meanwhile" });
  await harness.letPass(300_000, 500);
  platform.comeBack();
  assert.deepEqual(await harness.texts(1), ["meanwhile"]);
  assert.equal(platform.gateway.connections.at(-1)?.entrance, "resume");
});

Deno.test("QQ resumes after a restart behind what was taken, and no further", async () => {
  await using harness = await Harness.ready();
  const { platform, gateway } = harness;
  await harness.asked();
  await harness.letPass(200);
  gateway.answers.push("refused", "refused", "refused");
  platform.userSays({ from: ALICE, text: "refused at first" });
  await harness.letPass(200);
  assert.partialDeepStrictEqual(gateway.cursor, { session: { sequence: 2 } });
  gateway.answers.length = 0;
  await harness.restart();
  assert.deepEqual(await harness.texts(2), ["a question", "refused at first"]);
  assert.equal(platform.gateway.connections.at(-1)?.entrance, "resume");
});

Deno.test("QQ begins anew when what it stored cannot be read", async () => {
  await using harness = await Harness.ready();
  harness.gateway.cursor = { session: 7 };
  await harness.stop();
  harness.gateway.cursor = { session: 7 };
  await harness.restart();
  assert.equal(harness.platform.gateway.connections.at(-1)?.entrance, "identify");
});
