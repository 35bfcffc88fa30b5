/**
 * What is said of a goal: to the model, and to people.
 * @module
 */

import type { Goal, GoalBudget, GoalState, GoalUse } from "./goal.ts";

/** Shown of a goal's text where it stands among other things. */
const TITLE_CHARS = 80;

/** What begins a turn for a goal. */
export function turnText(goal: Goal, use: GoalUse): string {
  const { turn, text, budget } = goal;
  const left = [
    `${budget.turns - turn} more turns`,
    ...(budget.tokens === null
      ? []
      : [`${thousands(Math.max(0, budget.tokens - (use.tokens - goal.baseTokens)))} tokens`]),
    timeText(Math.max(0, goal.startedAtMs + budget.timeMs - use.nowMs)),
  ].join(", ");
  return `[Goal, turn ${turn}: a person set it with /goal, and you work on it by yourself]\n${text}\n\n` +
    `${
      turn === 1 ? "Begin with it" : "Go on where the last turn left off"
    }; left after this turn: ` +
    `${left}. Do a good piece of the work now and end with a few words on where it stands; the ` +
    "next turn follows by itself. Once you have made sure that the goal is reached, call goal with " +
    'status "reached"; where only a person can help, with status "blocked" and what you need.';
}

/** The answer to a goal that was set. */
export function setText({ budget }: Goal): string {
  return `The goal is set, and I work on it by myself: at most ${budgetText(budget)}. ` +
    "/goal shows how it stands, /goal stop ends it.";
}

/** The answer to `/goal`. */
export function shownText(goal: Goal, use: GoalUse): string {
  return [
    `Goal: ${goal.text}`,
    `State: ${STATES[goal.state]}${goal.reason === "" ? "" : ` (${goal.reason})`}`,
    `Used: ${usedText(goal, use)}`,
    ...(goal.state === "active" && goal.dueMs !== null
      ? [`The next turn begins in ${timeText(Math.max(0, goal.dueMs - use.nowMs))}.`]
      : []),
    goal.state === "active" ? "/goal stop ends it." : "/goal go goes on with it.",
  ].join("\n");
}

/** One line of `/status`. */
export function statusLine(goal: Goal, use: GoalUse): string {
  return `Goal: ${usedText(goal, use)}: ${titleOf(goal.text)}`;
}

/** What a goal's chat hears at its end. */
export function endText({ state, reason, turn }: Goal): string {
  const why = reason === "" ? "" : `: ${reason}`;
  const turns = turn === 1 ? "1 turn" : `${turn} turns`;
  switch (state) {
    case "reached":
      return `The goal is reached, after ${turns}.`;
    case "blocked":
      return `The goal waits for you${why}. /goal go goes on with it.`;
    case "stopped":
      return `The goal is stopped${why}. /goal go goes on with it.`;
    default:
      return `The goal is given up after ${turns}${why}. /goal go goes on with it.`;
  }
}

/** What stands in place of an answer where a goal ends in the middle of a turn. */
export const STOPPED_TURN = "(Not done: the goal was stopped.)";

/** The same, where it has used what it may. */
export function spentTurn(reason: string): string {
  return `(Not done: the goal ends here, as ${reason}.)`;
}

export const NO_GOAL: string =
  "There is no goal. /goal followed by what is to be done sets one; turns=, tokens= and time= in " +
  "front of it say how much it may use.";
export const GOAL_UNDER_WAY =
  "There is a goal already. /goal shows it; /goal stop ends it, and then another can be set.";
export const GOAL_STOPPED = "The goal is stopped. /goal go goes on with it.";
export const NOTHING_TO_STOP = "There is no goal that could be stopped.";
export const NOTHING_TO_GO_ON = "There is no goal that could go on.";

/** Where `/goal` is not understood. */
export function unclearText(why: string): string {
  return `That is no goal, as ${why}. For instance: /goal turns=5 time=30m Sort the folder inbox`;
}

const STATES: Readonly<Record<GoalState, string>> = {
  active: "under way",
  reached: "reached",
  blocked: "waits for a person",
  stopped: "stopped",
  spent: "given up",
  stuck: "given up",
  failed: "given up",
};

function usedText({ turn, budget, startedAtMs, baseTokens }: Goal, use: GoalUse): string {
  const tokens = thousands(Math.max(0, use.tokens - baseTokens));
  const ofTokens = budget.tokens === null ? tokens : `${tokens} of ${thousands(budget.tokens)}`;
  return `turn ${turn} of ${budget.turns}, ${ofTokens} tokens, ` +
    `${timeText(use.nowMs - startedAtMs)} of ${timeText(budget.timeMs)}`;
}

function budgetText({ turns, tokens, timeMs }: GoalBudget): string {
  const ofTokens = tokens === null ? "" : `${thousands(tokens)} tokens, `;
  return `${turns === 1 ? "1 turn" : `${turns} turns`}, ${ofTokens}${timeText(timeMs)}`;
}

function titleOf(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS).toWellFormed()}…`;
}

function thousands(count: number): string {
  return count >= 1_000 ? `${Math.floor(count / 1_000)}k` : String(count);
}

function timeText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes >= 60) return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m` : `${Math.floor(ms / 1_000)}s`;
}
