import assert from "node:assert/strict";
import { type FinishedRound, ProgressGuard } from "../../../actors/session/progress_guard.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { ScriptedAnswer } from "../../support/scripted_provider.ts";
import { SessionBench } from "../../support/session_bench.ts";
import { until } from "../../support/until.ts";

function round(
  content: string,
  value: JsonObject = {},
  { tookMs = 0, name = "look" } = {},
): FinishedRound {
  return {
    calls: [{
      call: { id: "c", type: "function", function: { name, arguments: "" } },
      parsed: { state: "ok", value },
    }],
    results: [{ role: "tool", tool_call_id: "c", name, content }],
    tookMs,
  };
}

/** The first round after which the turn counts as stuck; 0 for none. */
function stuckAfter(rounds: readonly FinishedRound[]): number {
  const guard = new ProgressGuard();
  return rounds.findIndex((each) => guard.isStuck(each)) + 1;
}

const LONG = Array.from({ length: 50 }, (_, n) => n);

Deno.test.each<[string, readonly FinishedRound[], number]>([
  ["the same again and again", LONG.map(() => round("same")), 9],
  ["two in turn", LONG.map((n) => round(n % 2 === 0 ? "a" : "b")), 10],
  ["results that change", LONG.map((n) => round(`result ${n}`)), 0],
  ["calls that change", LONG.map((n) => round("same", { page: n })), 0],
  ["waiting for something", LONG.map(() => round("still running", {}, { tookMs: 2_000 })), 0],
  ["polling a command", LONG.map(() => round("running", {}, { name: "write_stdin" })), 0],
  [
    "polling what is not there",
    LONG.map(() => round("Error: no session", {}, { name: "write_stdin" })),
    9,
  ],
  ["something new now and then", LONG.map((n) => round(n % 8 === 0 ? `new ${n}` : "same")), 0],
  [
    "long results in files of their own",
    LONG.map((n) => round(`kept in /w/tool-results/s/${n}.txt\nthe first`)),
    9,
  ],
])("ProgressGuard judges %s", (_name, rounds, expected) => {
  assert.equal(stuckAfter(rounds), expected);
});

Deno.test("A turn that goes round in circles stops by itself, with a kind word", async () => {
  const again: ScriptedAnswer = { calls: [{ name: "look", args: { at: "it" } }] };
  await using bench = new SessionBench({
    script: (_request, index) => index < 15 ? again : "never",
    tools: { look: { run: () => "nothing here" } },
  });
  await bench.say("hi");
  await bench.quiet();
  assert.equal(bench.provider.requests.length, 9);
  assert.match(bench.replies()[0] ?? "", /I stopped here.*look.*no progress/);
  assert.equal(bench.story().at(-1), `assistant ${bench.replies()[0]}`);
});

Deno.test("Polling is progress: a turn may wait for long for the same answer", async () => {
  const poll: ScriptedAnswer = { calls: [{ name: "poll" }] };
  await using bench: SessionBench = new SessionBench({
    script: (_request, index) => index < 15 ? poll : "finished",
    tools: {
      poll: {
        run: async () => {
          await new Promise<void>((resolve) => bench.world.clock.setTimer(5_000, resolve));
          return "still running";
        },
      },
    },
  });
  await bench.say("hi");
  await until(async () => {
    await bench.world.clock.advance(5_000);
    return bench.replies().length === 1;
  });
  assert.deepEqual(bench.replies(), ["finished"]);
});
