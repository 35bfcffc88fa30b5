/**
 * A goal: work on which a session goes on by itself, turn after turn, until it is reached, cannot be
 * reached, or has used what it may. Here is what it consists of, and what follows from each turn.
 * @module
 */

import { z } from "zod";
import type { JsonObject, JsonValue } from "../../kernel/json.ts";

/** What a goal may use at most. */
export interface GoalBudget {
  readonly turns: number;
  /** In and out, of the whole session since the goal began; null is no limit. */
  readonly tokens: number | null;
  readonly timeMs: number;
}

/** active: goes on by itself; all others are ends. */
export type GoalState =
  | "active"
  | "reached"
  | "blocked"
  | "stopped"
  | "spent"
  | "stuck"
  | "failed";

/** A goal, as the journal keeps it. */
export interface Goal {
  readonly id: string;
  readonly text: string;
  readonly budget: GoalBudget;
  /** Where its answers go: where it was set. */
  readonly place: GoalPlace;
  readonly startedAtMs: number;
  /** Tokens that the session had used by then. */
  readonly baseTokens: number;
  /** The turn that is due, runs, or was the last; from 1. */
  readonly turn: number;
  /** Before it that turn does not begin; null is at once. */
  readonly dueMs: number | null;
  /** Turns that failed, in a row. */
  readonly failures: number;
  /** Turns that brought nothing new, in a row. */
  readonly staleTurns: number;
  /** Marks of what earlier turns did and said. */
  readonly seen: readonly string[];
  /** What the model said of it in the turn that runs. */
  readonly verdict: GoalVerdict | null;
  readonly state: GoalState;
  /** Why it is over, as half a sentence; "" where the state says all. */
  readonly reason: string;
}

/** Where a goal was set. */
export interface GoalPlace {
  readonly replyChannel: string | null;
  readonly chatId: string;
  readonly context: JsonObject;
  readonly wantsStream: boolean;
}

/** What the model says of a goal. */
export interface GoalVerdict {
  readonly status: "reached" | "blocked";
  readonly note: string;
}

/** What a turn for a goal came to. */
export interface GoalTurn {
  readonly end: "done" | "failed" | "stopped" | "parked";
  /** Marks of its calls with their results; none where it used no tool. */
  readonly work: string | null;
  /** Mark of its answer; null where that is too short to be the work itself. */
  readonly answer: string | null;
}

/** What has been used. */
export interface GoalUse {
  readonly nowMs: number;
  /** Of the session, since ever. */
  readonly tokens: number;
}

/** Waits after a turn that failed; after as many more it is given up. */
const FAILURE_WAITS_MS = [60_000, 5 * 60_000, 15 * 60_000] as const;
/** Turns in a row that may bring nothing new. */
const STALE_TURNS_MAX = 3;
const SEEN_MAX = 100;

/** A goal that begins; its first turn is due. */
export function newGoal(
  facts: Pick<Goal, "id" | "text" | "budget" | "place" | "startedAtMs" | "baseTokens">,
): Goal {
  return {
    ...facts,
    ...{ turn: 1, dueMs: null, failures: 0, staleTurns: 0, seen: [], verdict: null },
    ...{ state: "active", reason: "" },
  };
}

/** The goal after a turn for it has ended: over, or its next turn is due. */
export function afterTurn(goal: Goal, turn: GoalTurn, use: GoalUse): Goal {
  if (turn.end === "stopped") return ended(goal, "stopped", "its turn was stopped");
  if (goal.verdict !== null) return ended(goal, goal.verdict.status, goal.verdict.note);
  if (turn.end === "parked") return ended(goal, "failed", "its turn broke each time it was tried");
  const next = turn.end === "failed" ? failed(goal, use.nowMs) : worked(goal, turn);
  if (next.state !== "active") return next;
  const spent = spentOf(next, use);
  if (spent !== null) return ended(next, "spent", spent);
  if (next.turn >= next.budget.turns) return ended(next, "spent", turnsText(next.budget.turns));
  return { ...next, turn: next.turn + 1 };
}

/** Which budget is used up, as half a sentence; null where none is. */
export function spentOf({ budget, startedAtMs, baseTokens }: Goal, use: GoalUse): string | null {
  if (use.nowMs - startedAtMs >= budget.timeMs) return "its time is over";
  const { tokens } = budget;
  return tokens !== null && use.tokens - baseTokens >= tokens ? "its tokens are used" : null;
}

/** The goal, over. */
export function ended(goal: Goal, state: Exclude<GoalState, "active">, reason: string): Goal {
  return { ...goal, state, reason, dueMs: null, verdict: null };
}

/** A goal that was over goes on, with all of its budget and another name for what it does now. */
export function begunAgain(
  goal: Goal,
  facts: Pick<Goal, "id" | "startedAtMs" | "baseTokens">,
): Goal {
  const { text, budget, place } = goal;
  return newGoal({ text, budget, place, ...facts });
}

function failed(goal: Goal, nowMs: number): Goal {
  const waitMs = FAILURE_WAITS_MS[goal.failures];
  if (waitMs === undefined) return ended(goal, "failed", "its turns fail again and again");
  return { ...goal, failures: goal.failures + 1, dueMs: nowMs + waitMs };
}

function worked(goal: Goal, { work, answer }: GoalTurn): Goal {
  const marks = [work, answer].filter((mark) => mark !== null);
  // Who used tools is judged by those alone: words differ easily.
  const telling = work ?? answer;
  const isNew = telling !== null && !goal.seen.includes(telling);
  const staleTurns = isNew ? 0 : goal.staleTurns + 1;
  const seen = [...goal.seen, ...marks].slice(-SEEN_MAX);
  const next = { ...goal, failures: 0, dueMs: null, staleTurns, seen };
  if (staleTurns < STALE_TURNS_MAX) return next;
  return ended(next, "stuck", `${STALE_TURNS_MAX} turns in a row brought nothing new`);
}

function turnsText(turns: number): string {
  return turns === 1 ? "its one turn is used" : `its ${turns} turns are used`;
}

const count = z.int().min(0);

const goalSchema: z.ZodType<Goal> = z.object({
  id: z.string(),
  text: z.string(),
  budget: z.object({ turns: count, tokens: count.nullable(), timeMs: count }),
  place: z.object({
    replyChannel: z.string().nullable(),
    chatId: z.string(),
    context: z.record(z.string(), z.json()),
    wantsStream: z.boolean(),
  }),
  startedAtMs: z.number(),
  baseTokens: z.number(),
  turn: count,
  dueMs: z.number().nullable(),
  failures: count,
  staleTurns: count,
  seen: z.array(z.string()),
  verdict: z.object({ status: z.enum(["reached", "blocked"]), note: z.string() }).nullable(),
  state: z.enum(["active", "reached", "blocked", "stopped", "spent", "stuck", "failed"]),
  reason: z.string(),
});

/** A goal from the journal; null where there is none, or none that can be read. */
export function parseGoal(note: JsonValue): Goal | null {
  return goalSchema.safeParse(note).data ?? null;
}

/** The same as the journal takes it. */
export function goalNote(goal: Goal): JsonObject {
  const { budget, place, seen, verdict, ...facts } = goal;
  return {
    ...facts,
    budget: { ...budget },
    place: { ...place },
    seen: [...seen],
    verdict: verdict && { ...verdict },
  };
}
