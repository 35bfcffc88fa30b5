import assert from "node:assert/strict";
import {
  cronInputId,
  heartbeatInputId,
  subagentInputId,
  SYSTEM_CHANNEL,
  systemSource,
} from "../../../actors/journal/journal.ts";

Deno.test.each(
  [
    ["cron", cronInputId("0a1b2c3d", 1_000)],
    ["heartbeat", heartbeatInputId(1_000)],
    ["subagent", subagentInputId("0a1b2c3d")],
    [undefined, "documents:1"],
  ] as const,
)("The source %s is told by the id %s", (source, platformId) => {
  assert.equal(systemSource({ channel: SYSTEM_CHANNEL, platformId }), source);
});

Deno.test("A platform's message has no source, whatever its id", () => {
  assert.equal(systemSource({ channel: "feishu", platformId: "cron:a:1" }), undefined);
});
