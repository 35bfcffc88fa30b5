/**
 * What may stand behind `/goal`.
 * @module
 */

import type { GoalBudget } from "./goal.ts";

/** What somebody wants with `/goal`. */
export type GoalWish =
  | { readonly type: "show" }
  | { readonly type: "stop" }
  | { readonly type: "go_on" }
  | { readonly type: "set"; readonly text: string; readonly budget: GoalBudget }
  /** It cannot be understood; half a sentence says why. */
  | { readonly type: "unclear"; readonly why: string };

const TEXT_CHARS_MAX = 4_000;
const OPTION = /^(turns|tokens|time)=(\S+)(?:\s+|$)/i;
const MULTIPLES: Readonly<Record<string, number>> = {
  ...{ "": 1, k: 1_000, m: 1_000_000 },
};
const UNITS_MS: Readonly<Record<string, number>> = {
  ...{ s: 1_000, m: 60_000, h: 3_600_000 },
};

/**
 * Reads it: `turns=5 tokens=200k time=30m what is to be done`.
 *
 * @param limits what a goal may use at most, and has where nothing is said
 */
export function parseGoalWish(argument: string, limits: GoalBudget): GoalWish {
  const written = argument.trim();
  if (written === "") return { type: "show" };
  if (/^(stop|cancel|off)$/i.test(written)) return { type: "stop" };
  if (/^(go|go on|resume|continue)$/i.test(written)) return { type: "go_on" };
  let budget = limits;
  let text = written;
  for (let option = OPTION.exec(text); option !== null; option = OPTION.exec(text)) {
    const [whole, name = "", value = ""] = option;
    const change = within(name.toLowerCase(), value.toLowerCase(), limits);
    if (change === null) return { type: "unclear", why: `"${name}=${value}" is no ${name}` };
    budget = { ...budget, ...change };
    text = text.slice(whole.length);
  }
  if (text === "") return { type: "unclear", why: "it says nothing of what is to be done" };
  if (text.length > TEXT_CHARS_MAX) {
    return { type: "unclear", why: `it has more than ${TEXT_CHARS_MAX} characters` };
  }
  return { type: "set", text, budget };
}

/** Nobody gets more than the limits. */
function within(name: string, value: string, limits: GoalBudget): Partial<GoalBudget> | null {
  const [, digits, unit = ""] = /^(\d{1,9})([a-z]?)$/.exec(value) ?? [];
  const number = Number(digits);
  if (digits === undefined || number === 0) return null;
  if (name === "turns") return unit === "" ? { turns: Math.min(number, limits.turns) } : null;
  const factor = name === "tokens" ? MULTIPLES[unit] : UNITS_MS[unit === "" ? "m" : unit];
  if (factor === undefined) return null;
  const amount = number * factor;
  if (name === "time") return { timeMs: Math.min(amount, limits.timeMs) };
  return { tokens: Math.min(amount, limits.tokens ?? amount) };
}
