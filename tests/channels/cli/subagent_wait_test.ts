import assert from "node:assert/strict";
import { waitForSubagents } from "../../../channels/cli/subagent_wait.ts";
import { ManualClock } from "../../support/manual_clock.ts";

/** What is said to a person who leaves while so many subagents are there at each look. */
async function said(via: "own" | "gateway", counts: readonly number[]): Promise<string> {
  const clock = new ManualClock(0);
  let looks = 0;
  let text = "";
  const waiting = waitForSubagents({
    via,
    subagents: () => Promise.resolve(counts[Math.min(looks++, counts.length - 1)] ?? 0),
  }, {
    terminal: { writeError: (written) => void (text += written) },
    limitMs: 120_000,
    signal: new AbortController().signal,
    clock,
  });
  await clock.advance(130_000);
  await waiting;
  return text;
}

Deno.test.each<["own" | "gateway", number[], RegExp]>([
  ["own", [0], /^$/],
  ["own", [2, 2, 1, 0], /^Waiting for 2 subagents, 2 min at most; Ctrl-C ends them\n$/],
  ["own", [1], /^Waiting for 1 subagent, .*\nEnded 1 subagent that took longer; .*\n$/],
  ["gateway", [3], /^The gateway goes on with 3 subagents; results .*\n$/],
])("Who leaves a line of kind %s with %o subagents is told", async (via, counts, expected) => {
  assert.match(await said(via, counts), expected);
});
