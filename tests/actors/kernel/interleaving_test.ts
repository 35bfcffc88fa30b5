import assert from "node:assert/strict";
import fc from "fast-check";
import { plans } from "./random_plan.ts";
import { type Run, runPlan, type WorldMessage } from "./random_world.ts";

/** Plans per law; each is a run of its own under a random schedule. */
const RUNS = { numRuns: 200 };

function checkRuns(law: (run: Run) => void): Promise<void> {
  return fc.assert(fc.asyncProperty(plans, async (plan) => law(await runPlan(plan))), RUNS);
}

/** How often each id occurs. */
function occurrences(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function isWorldMessage(message: unknown): message is WorldMessage {
  return typeof message === "object" && message !== null && "planned" in message;
}

Deno.test("Messages of one sender to one actor are handled in order, whatever the schedule", () =>
  checkRuns((run) => {
    for (const handled of run.handled) {
      const last = new Map<number, number>();
      for (const { sender, number, id } of handled) {
        assert.ok(number > (last.get(sender) ?? -1), `${id} came out of order or twice`);
        last.set(sender, number);
      }
    }
  }));

Deno.test("An actor never handles two messages at once, whatever the schedule", () =>
  checkRuns((run) => assert.equal(run.overlaps, 0)));

Deno.test("Every message is handled once or is one dead letter, whatever the schedule", () =>
  checkRuns((run) => {
    const handled = occurrences(run.handled.flat().map(({ id }) => id));
    const letters = run.deadLetters.flatMap(({ message, reason }) =>
      isWorldMessage(message) ? [{ id: message.id, reason }] : []
    );
    const failed = occurrences(letters.filter((l) => l.reason === "failed").map((l) => l.id));
    const lost = occurrences(letters.filter((l) => l.reason !== "failed").map((l) => l.id));
    for (const [id, result] of run.told) {
      assert.equal((handled.get(id) ?? 0) + (lost.get(id) ?? 0), 1, `${id} was told: ${result}`);
      if (result !== "taken") assert.equal(lost.get(id), 1, `${id} was not taken: ${result}`);
    }
    for (const id of failed.keys()) assert.equal(handled.get(id), 1, `${id} failed unhandled`);
    const crashes = run.handled.flat().filter(({ planned }) => planned.deed === "crash");
    assert.equal(crashes.length, [...failed.values()].reduce((sum, count) => sum + count, 0));
  }));

Deno.test("Outcomes and timers reach only the life that asked for them, once", () =>
  checkRuns((run) => assert.deepEqual([run.strays, run.repeated], [0, 0])));

Deno.test("A life's work ends with it, and a stopped actor stays so, whatever the schedule", () =>
  checkRuns((run) => assert.deepEqual([run.unaborted, run.undead], [0, 0])));

Deno.test("No message is left waiting in a running actor, whatever the schedule", () =>
  checkRuns((run) => assert.equal(run.neglected, 0)));

Deno.test("A stopped system leaves no timer, no work and no ask, and nothing happens after it", () =>
  checkRuns((run) =>
    assert.deepEqual(
      [run.leakedTimers, run.openWork, run.openAsks, run.afterwards],
      [0, 0, 0, 0],
    )
  ));

Deno.test("A plan replays: the same seed makes the same run", () =>
  fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      assert.deepEqual((await runPlan(plan)).trace, (await runPlan(plan)).trace);
    }),
    { numRuns: 50 },
  ));

Deno.test("Different seeds make different runs of one plan", async () => {
  const message = { receiver: 0, deed: "note", ms: 0 } as const;
  const plan = {
    delayShare: 0.1,
    mailboxMax: 100,
    overflow: "refuse",
    senders: Array.from({ length: 4 }, () => Array.from({ length: 10 }, () => message)),
    stops: [],
  } as const;
  const traces = new Set<string>();
  for (let seed = 0; seed < 10; seed++) {
    traces.add((await runPlan({ ...plan, seed })).trace.join("\n"));
  }
  assert.ok(traces.size > 5, `only ${traces.size} different runs`);
});
