/**
 * What to do with the due times that have come: which one runs, and which are passed over.
 * @module
 */

import type { DueTimes } from "./schedule.ts";

/** Due times that went by: none of them is made up for, the last one is, or each is. */
export type MissedPolicy = "skip" | "once" | "all";

/** What is later than this is late, and says so. */
export const LATE_MS = 60_000;
/** Runs that `all` makes up for at most, the newest. */
export const BACKLOG_MAX = 100;
/** Due times that are counted one by one. */
const COUNTED_MAX = 500;

/** Due times that were passed over. */
export interface PassedOver {
  readonly count: number;
  /** There were more than were counted. */
  readonly isMore: boolean;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** What is to be done now. */
export interface DuePlan {
  /** The due time that runs now; null when none does. */
  readonly runMs: number | null;
  readonly passedOver: PassedOver | null;
  /** The first due time that is not accounted for after it; null when there is none. */
  readonly nextMs: number | null;
}

/** What a plan is made from. */
export interface DueFacts {
  readonly times: DueTimes;
  /** The first due time that is not accounted for. */
  readonly nextMs: number;
  readonly nowMs: number;
  readonly policy: MissedPolicy;
}

/** Plans one run at most: the next one is planned when it has ended. */
export function planDue({ times, nextMs, nowMs, policy }: DueFacts): DuePlan {
  if (nextMs > nowMs) return { runMs: null, passedOver: null, nextMs };
  const newestMs = times.lastUntil(nowMs, 1)[0] ?? nextMs;
  const afterAll = times.nextAfter(nowMs);
  switch (policy) {
    case "all": {
      const [oldestMs = nextMs] = times.lastUntil(nowMs, BACKLOG_MAX);
      const runMs = Math.max(nextMs, oldestMs);
      const passedOver = runMs > nextMs ? between(times, nextMs, runMs) : null;
      return { runMs, passedOver, nextMs: times.nextAfter(runMs) };
    }
    case "once": {
      const runMs = Math.max(nextMs, newestMs);
      return { runMs, passedOver: between(times, nextMs, runMs), nextMs: afterAll };
    }
    case "skip": {
      const lastMs = Math.max(nextMs, newestMs);
      const runMs = nowMs - lastMs <= LATE_MS ? lastMs : null;
      const endMs = runMs ?? lastMs + 1;
      return { runMs, passedOver: between(times, nextMs, endMs), nextMs: afterAll };
    }
  }
}

/** The due times from `firstMs`, which is one, to before `endMs`. */
function between(times: DueTimes, firstMs: number, endMs: number): PassedOver | null {
  if (firstMs >= endMs) return null;
  let count = 0;
  let lastMs = firstMs;
  for (let dueMs: number | null = firstMs; dueMs !== null && dueMs < endMs;) {
    if (count === COUNTED_MAX) {
      const newestMs = times.lastUntil(endMs - 1, 1)[0] ?? lastMs;
      return { count, isMore: true, firstMs, lastMs: newestMs };
    }
    count++;
    lastMs = dueMs;
    dueMs = times.nextAfter(dueMs);
  }
  return { count, isMore: false, firstMs, lastMs };
}
