import assert from "node:assert/strict";
import {
  afterTurn,
  type Goal,
  goalNote,
  type GoalTurn,
  newGoal,
  parseGoal,
} from "../../../../actors/session/goal/goal.ts";
import { parseGoalWish } from "../../../../actors/session/goal/goal_wish.ts";

const LIMITS = { turns: 20, tokens: 100_000, timeMs: 3_600_000 };
const PLACE = { replyChannel: "feishu", chatId: "oc_1", context: {}, wantsStream: false };
const DONE: GoalTurn = { end: "done", work: "w1", answer: null };
const USE = { nowMs: 1_000, tokens: 50 };

function goal(change: Partial<Goal> = {}): Goal {
  const facts = { id: "g", text: "Sort", budget: LIMITS, place: PLACE };
  return { ...newGoal({ ...facts, startedAtMs: 0, baseTokens: 40 }), ...change };
}

Deno.test("A goal goes on after a turn that brought something new", () => {
  const next = afterTurn(goal(), DONE, USE);
  assert.equal(next.state, "active");
  assert.equal(next.turn, 2);
  assert.deepEqual(parseGoal(goalNote(next)), next);
});

Deno.test.each<[string, Partial<Goal>, Partial<GoalTurn>, string]>([
  ["the model says so", { verdict: { status: "reached", note: "all" } }, {}, "reached"],
  ["it says so and then fails", { verdict: { status: "reached", note: "" } }, {
    end: "failed",
  }, "reached"],
  ["a person is needed", { verdict: { status: "blocked", note: "a key" } }, {}, "blocked"],
  ["its turn was stopped", { verdict: { status: "reached", note: "" } }, {
    end: "stopped",
  }, "stopped"],
  ["its turn was parked", {}, { end: "parked" }, "failed"],
  ["its turns are used", { turn: 20 }, {}, "spent"],
  ["its tokens are used", { baseTokens: -100_000 }, {}, "spent"],
  ["its time is over", { startedAtMs: -3_600_000 }, {}, "spent"],
  ["the third turn did the same again", { staleTurns: 2, seen: ["w1"] }, {}, "stuck"],
  ["the third turn only talked", { staleTurns: 2 }, { work: null }, "stuck"],
  ["the fourth turn in a row fails", { failures: 3 }, { end: "failed" }, "failed"],
])("A goal is over when %s", (_when, change, turn, state) => {
  assert.equal(afterTurn(goal(change), { ...DONE, ...turn }, USE).state, state);
});

Deno.test("A goal waits longer after each turn that failed, and begins anew with one that works", () => {
  let now = goal();
  const waits: (number | null)[] = [];
  for (let n = 0; n < 3; n++) {
    now = afterTurn(now, { ...DONE, end: "failed" }, USE);
    waits.push(now.dueMs);
  }
  assert.deepEqual(waits, [61_000, 301_000, 901_000]);
  const next = afterTurn(now, DONE, USE);
  assert.deepEqual([next.failures, next.dueMs, next.turn], [0, null, 5]);
});

Deno.test("A goal counts anew what brings nothing new once something does", () => {
  const stale = goal({ staleTurns: 2, seen: ["w0"] });
  assert.equal(afterTurn(stale, DONE, USE).staleTurns, 0);
  const long = { ...DONE, work: null, answer: "a1" };
  assert.equal(afterTurn(stale, long, USE).staleTurns, 0);
  assert.equal(afterTurn({ ...stale, seen: ["a1"] }, long, USE).state, "stuck");
});

Deno.test.each<[string, unknown]>([
  ["", { type: "show" }],
  [" stop ", { type: "stop" }],
  ["Go on", { type: "go_on" }],
  ["Stop the war", { type: "set", text: "Stop the war", budget: LIMITS }],
  ["turns=3 tokens=20k time=90s Sort\nit", {
    type: "set",
    text: "Sort\nit",
    budget: { turns: 3, tokens: 20_000, timeMs: 90_000 },
  }],
  ["TIME=2h turns=999 tokens=9m Sort", { type: "set", text: "Sort", budget: LIMITS }],
  ["time=30 Sort", { type: "set", text: "Sort", budget: { ...LIMITS, timeMs: 1_800_000 } }],
  ["turns=3", { type: "unclear", why: "it says nothing of what is to be done" }],
  ["turns=x Sort", { type: "unclear", why: '"turns=x" is no turns' }],
  ["tokens=0 Sort", { type: "unclear", why: '"tokens=0" is no tokens' }],
  ["x".repeat(4_001), { type: "unclear", why: "it has more than 4000 characters" }],
])("/goal %j is understood", (argument, wish) => {
  assert.deepEqual(parseGoalWish(argument, LIMITS), wish);
});
