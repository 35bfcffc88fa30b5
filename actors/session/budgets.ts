/**
 * What may be used before turns have to wait.
 * @module
 */

import { sumUsage, type UsageCounts } from "../journal/usage.ts";

/** The limits of one period; null is none. */
export interface BudgetLimits {
  /** Tokens in and out. */
  readonly tokens: number | null;
  /** US dollars. What has no known price does not count. */
  readonly usd: number | null;
}

/** All limits. */
export interface BudgetSettings {
  /** All sessions together. */
  readonly perDay: BudgetLimits;
  /** One session, until it begins anew. */
  readonly perSession: BudgetLimits;
}

/** No limits at all. */
export const NO_BUDGETS: BudgetSettings = {
  perDay: { tokens: null, usd: null },
  perSession: { tokens: null, usd: null },
};

/** A limit, and how much of it is used. */
export interface BudgetState {
  readonly period: "day" | "session";
  readonly unit: "tokens" | "usd";
  readonly used: number;
  readonly limit: number;
}

/** A limit that was reached. */
export interface SpentBudget extends BudgetState {
  /** When there is room again, in epoch milliseconds; null: not by itself. */
  readonly resumesAtMs: number | null;
}

const NANOS_PER_USD = 1e9;

/** US dollars. */
export function usdOf({ costNanos }: UsageCounts): number {
  return costNanos / NANOS_PER_USD;
}

/** Tokens in and out. */
export function tokensOf({ inputTokens, outputTokens }: UsageCounts): number {
  return inputTokens + outputTokens;
}

/** Whether there is any limit. */
export function hasBudgets({ perDay, perSession }: BudgetSettings): boolean {
  return [perDay, perSession].some(({ tokens, usd }) => tokens !== null || usd !== null);
}

/** The limits there are; a session's first, as no new day helps against those. */
export function budgetStates(
  { perDay, perSession }: BudgetSettings,
  used: { readonly day: Iterable<UsageCounts>; readonly session: Iterable<UsageCounts> },
): BudgetState[] {
  return [
    ...statesOf("session", perSession, sumUsage(used.session)),
    ...statesOf("day", perDay, sumUsage(used.day)),
  ];
}

function statesOf(
  period: BudgetState["period"],
  { tokens, usd }: BudgetLimits,
  used: UsageCounts,
): BudgetState[] {
  const states: BudgetState[] = [];
  if (tokens !== null) states.push({ period, unit: "tokens", used: tokensOf(used), limit: tokens });
  if (usd !== null) states.push({ period, unit: "usd", used: usdOf(used), limit: usd });
  return states;
}

/** Whether a limit was reached. */
export function isSpent({ used, limit }: BudgetState): boolean {
  return used >= limit;
}

/** The key of a limit in the configuration. */
export function budgetKey({ period, unit }: Pick<BudgetState, "period" | "unit">): string {
  return `agents.budgets.${period === "day" ? "perDay" : "perSession"}.${unit}`;
}
