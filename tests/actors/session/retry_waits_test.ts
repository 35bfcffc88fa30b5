import assert from "node:assert/strict";
import type { Provider } from "../../../providers/provider.ts";
import { SessionBench } from "../../support/session_bench.ts";

/** A model that has to be waited for before it answers. */
function slow(...delaysMs: readonly number[]): Provider {
  return {
    name: "slow",
    async *chat() {
      for (const [index, delayMs] of delaysMs.entries()) {
        yield { type: "waiting", delayMs, attempt: index + 1, reason: "because" };
        await Promise.resolve();
      }
      yield { type: "text", text: "here" };
      yield {
        type: "finished",
        response: {
          content: "here",
          calls: [],
          finishReason: "stop",
          usage: null,
          reasoning: null,
          thinkingBlocks: [],
        },
      };
    },
  };
}

Deno.test.each<[string, readonly number[], number]>([
  ["short waits", [1_000, 2_000, 4_000], 0],
  ["a long wait", [40_000, 10_000], 1],
])("A chat that shows nothing growing hears of %s", async (_name, delaysMs, count) => {
  await using bench = new SessionBench({ provider: slow(...delaysMs) });
  await bench.say("hi");
  await bench.quiet();
  const progress = (bench.outboxes.get("feishu")?.received ?? [])
    .flatMap((message) => message.type === "progress" ? [message.text] : []);
  assert.equal(progress.length, count);
  for (const text of progress) assert.match(text, /try again in 40 s/);
  assert.deepEqual(bench.replies(), ["here"]);
});

Deno.test.each<[string, readonly number[], readonly string[]]>([
  ["short waits", [1_000, 2_000, 4_000], ["", ""]],
  ["a long wait", [40_000, 10_000], ["try again in 40 s", "try again in 10 s", "", ""]],
])("A growing card shows %s and forgets them with the answer", async (_name, delaysMs, shown) => {
  await using bench = new SessionBench({ provider: slow(...delaysMs) });
  await bench.say("hi", { wantsStream: true });
  await bench.quiet();
  const activities = (bench.outboxes.get("feishu")?.received ?? [])
    .flatMap((message) => message.type === "stream_grew" ? [message.activity] : []);
  const expected = shown.filter((text, index) => text !== "" || index === shown.length - 1);
  assert.equal(activities.length, expected.length);
  for (const [index, text] of expected.entries()) assert.ok(activities[index]?.includes(text));
  assert.equal(activities.at(-1), "");
});
