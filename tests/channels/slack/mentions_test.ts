import assert from "node:assert/strict";
import { mentions } from "../../../channels/slack/receive/message.ts";

Deno.test("Slack finds a mention with and without a name, and none that never ends, at once", () => {
  assert.ok(mentions("hi <@U1>", "U1") && mentions("<@U1|Alice B> hi", "U1"));
  assert.ok(!mentions("<@U2> <@U1", "U1"));
  const startMs = performance.now();
  assert.ok(!mentions("<@U1|".repeat(40_000), "U1"));
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs < 1_500, `${Math.round(tookMs)} ms`);
});
