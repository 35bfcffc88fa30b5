import assert from "node:assert/strict";
import { LONG_STEP_MS } from "../../support/channel_bench.ts";
import { Harness } from "./harness.ts";

Deno.test("DingTalk echoes a ping", async () => {
  await using harness = await Harness.ready();
  harness.platform.streams.ping({ opaque: "x" });
  await harness.passUntil(() => harness.platform.streams.pongs.length > 0, "an echo");
  assert.deepEqual(harness.platform.streams.pongs, [{ opaque: "x" }]);
});

Deno.test("DingTalk has a new stream before the old one ends", async () => {
  await using harness = await Harness.ready();
  await harness.letPass(31_000, LONG_STEP_MS);
  harness.platform.streams.disconnect();
  harness.platform.userSays({ text: "while it changes" });
  await harness.passUntil(() => harness.platform.calls.length > 1, "a new stream");
  await harness.passUntil(() => harness.platform.streams.open === 1, "the end of the old one");
  assert.equal(harness.gateway.states.some(({ state }) => state === "reconnecting"), false);
  await harness.passUntil(() => harness.gateway.inbounds.length > 0, "the message", LONG_STEP_MS);
});

Deno.test("DingTalk replaces a stream that gives no sign of life", async () => {
  await using harness = await Harness.ready();
  harness.platform.streams.livens = false;
  const before = harness.platform.calls.length;
  await harness.passUntil(
    () => harness.platform.calls.length > before,
    "a new stream",
    LONG_STEP_MS,
  );
  assert.equal(harness.gateway.states.at(-1)?.state, "ready");
});

Deno.test("DingTalk keeps a stream that gives signs of life", async () => {
  await using harness = await Harness.ready();
  const before = harness.platform.calls.length;
  await harness.letPass(200_000, LONG_STEP_MS);
  assert.equal(harness.platform.calls.length, before);
});

Deno.test("DingTalk waits longer each time the platform cannot be asked", async () => {
  await using harness = await Harness.start();
  harness.platform.faults.plant(/connections\/open/, { kind: "status", status: 500 }, { times: 3 });
  await harness.isReady();
  const waits = harness.gateway.states.filter(({ state }) => state === "reconnecting");
  assert.equal(waits.length, 3);
  assert.ok(harness.clock.now() >= 5_000);
});

Deno.test("DingTalk says what is missing, and stays off", async () => {
  await using harness = await Harness.start({ clientSecret: "" });
  await assert.rejects(harness.ended, {
    code: "dingtalk_credentials",
    message: /channels\.dingtalk\.clientSecret is missing/,
  });
});
