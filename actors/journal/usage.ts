/**
 * What model calls used, as the journal keeps it: in sums that stay few however long it runs.
 * @module
 */

/** What is counted. Money is in billionths of a US dollar, so that sums stay whole numbers. */
export interface UsageCounts {
  /** Model calls. */
  readonly calls: number;
  /** Of the calls: those whose provider told nothing, so that the tokens are a guess. */
  readonly estimatedCalls: number;
  /** Of the calls: those of models without a known price, which `costNanos` leaves out. */
  readonly unpricedCalls: number;
  readonly inputTokens: number;
  /** Of the input: read from the vendor's cache. */
  readonly cachedTokens: number;
  /** Of the input: written to the vendor's cache. */
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Of the output: spent on thinking. */
  readonly reasoningTokens: number;
  readonly costNanos: number;
}

/** Nothing used. */
export const NO_USAGE: UsageCounts = {
  calls: 0,
  estimatedCalls: 0,
  unpricedCalls: 0,
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  costNanos: 0,
};

/** What a step used, of one model. */
export interface UsageEntry extends UsageCounts {
  readonly sessionKey: string;
  /** The date on which it is booked, where the people live: `2026-04-30`. */
  readonly day: string;
  /** Who answered. */
  readonly provider: string;
  readonly model: string;
}

/**
 * What a sum is of. day: all sessions, by date; session: one conversation since it began; turn: the
 * newest turn of a session.
 */
export type UsageScope = "day" | "session" | "turn";

/** One sum. */
export interface UsageRow extends UsageCounts {
  readonly scope: UsageScope;
  /** The date, or the session's key. */
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  /** When it last grew. */
  readonly updatedAtMs: number;
}

/** Which sums are asked for: those of the names from `from` to `to`, both included. */
export interface UsageQuery {
  readonly scope: UsageScope;
  readonly from: string;
  readonly to: string;
}

/** The sums that an entry adds to. */
export function usageRows(entry: UsageEntry, nowMs: number): UsageRow[] {
  const { sessionKey, day, ...rest } = entry;
  const row = { ...rest, updatedAtMs: nowMs };
  return [
    { ...row, scope: "day", name: day },
    { ...row, scope: "session", name: sessionKey },
    { ...row, scope: "turn", name: sessionKey },
  ];
}

/** Both together. */
export function addUsage(a: UsageCounts, b: UsageCounts): UsageCounts {
  return {
    calls: a.calls + b.calls,
    estimatedCalls: a.estimatedCalls + b.estimatedCalls,
    unpricedCalls: a.unpricedCalls + b.unpricedCalls,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    costNanos: a.costNanos + b.costNanos,
  };
}

/** All together. */
export function sumUsage(all: Iterable<UsageCounts>): UsageCounts {
  let sum = NO_USAGE;
  for (const counts of all) sum = addUsage(sum, counts);
  return sum;
}
