/**
 * What people read about usage and budgets.
 * @module
 */

import { sumUsage, type UsageCounts } from "../journal/usage.ts";
import type { UsageRow } from "../journal/journal.ts";
import { budgetKey, type BudgetState, type SpentBudget, usdOf } from "./budgets.ts";
import { localTime } from "./local_day.ts";
import type { UsageReport } from "./usage_ledger.ts";
import { counted } from "./wording.ts";

/** What `/usage` tells besides the report. */
export interface UsageTextOptions {
  /** IANA name: where days begin. */
  readonly timezone: string;
  /** When the next day begins. */
  readonly tomorrowMs: number;
  /** What the turn of this session waits for. */
  readonly paused: SpentBudget | undefined;
}

/** The block that answers `/usage`. */
export function usageText(
  { turn, session, today, month, budgets }: UsageReport,
  { timezone, tomorrowMs, paused }: UsageTextOptions,
): string {
  const models = Map.groupBy(month, ({ provider, model }) => `${model} (${provider})`);
  const next = `${localTime(tomorrowMs, timezone)} (${timezone})`;
  return [
    `Last turn: ${countsText(turn)}`,
    `This session: ${countsText(session)}`,
    `Today: ${countsText(today)}`,
    `This month: ${countsText(month)}`,
    ...[...models].map(([name, rows]) => `- ${name}: ${countsText(rows)}`),
    ...(budgets.length === 0 ? ["Budgets: none"] : ["Budgets:"]),
    ...budgets.map((budget) => `- ${budgetText(budget, next)}`),
    ...(paused === undefined ? [] : [`Paused: ${pauseText(paused, timezone)}`]),
  ].join("\n");
}

/** `1200 in (40% cached) / 300 out (120 reasoning), 3 calls, $0.0123`. */
function countsText(rows: readonly UsageRow[]): string {
  const sum = sumUsage(rows);
  if (sum.calls === 0) return "nothing used";
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens } = sum;
  const cached = cachedTokens > 0 && inputTokens > 0
    ? ` (${Math.floor((cachedTokens * 100) / inputTokens)}% cached)`
    : "";
  const reasoning = reasoningTokens > 0 ? ` (${reasoningTokens} reasoning)` : "";
  return [
    `${inputTokens} in${cached} / ${outputTokens} out${reasoning}`,
    counted(sum.calls, "call"),
    costText(sum),
    ...(sum.estimatedCalls > 0 ? [`${counted(sum.estimatedCalls, "call")} estimated`] : []),
  ].join(", ");
}

/** What is known of the cost; a price that is not known is not zero. */
function costText(sum: UsageCounts): string {
  const { calls, unpricedCalls } = sum;
  if (unpricedCalls === calls) return "price unknown";
  const known = dollars(usdOf(sum));
  return unpricedCalls === 0
    ? known
    : `${known} and ${counted(unpricedCalls, "call")} of unknown price`;
}

function budgetText(budget: BudgetState, next: string): string {
  const { period, used, limit, unit } = budget;
  const left = amount(Math.max(0, limit - used), unit);
  const until = period === "day" ? `until ${next}` : "until /new";
  return `per ${period}: ${amount(used, unit)} of ${
    amount(limit, unit)
  } used, ${left} left ${until}`;
}

/** To people: their turn waits for a budget. */
export function pausedText(budget: SpentBudget, timezone: string): string {
  return `I have to pause here: ${
    pauseText(budget, timezone)
  } Your message is kept, and what you ` +
    "write meanwhile waits behind it; /stop drops them.";
}

/** To the owners: a budget is spent. */
export function spentText(budget: SpentBudget, sessionKey: string, timezone: string): string {
  const where = budget.period === "day" ? "" : ` In ${sessionKey}:`;
  return `A budget is spent, so turns wait.${where} ${pauseText(budget, timezone)}`;
}

function pauseText(budget: SpentBudget, timezone: string): string {
  const { period, used, limit, unit, resumesAtMs } = budget;
  const whose = period === "day" ? "today's budget" : "the budget of this session";
  const spent = `${whose} is used up (${amount(used, unit)} of ${amount(limit, unit)}).`;
  const raise = `raise ${budgetKey(budget)} and restart to go on`;
  if (resumesAtMs === null) return `${spent} Use /new to start a new session, or ${raise}.`;
  const time = localTime(resumesAtMs, timezone);
  return `${spent} I go on by myself when the next day begins, at ${time} (${timezone}); ${raise} ` +
    "earlier.";
}

function amount(value: number, unit: BudgetState["unit"]): string {
  return unit === "usd" ? dollars(value) : `${Math.round(value)} tokens`;
}

/** `$12.30`, `$0.0042`: cents, and more where there are none. */
function dollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 1 ? 4 : 2)}`;
}
