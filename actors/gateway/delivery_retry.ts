/**
 * What the end of an attempt means for its row: sent, try again when, look it up, or give up.
 * @module
 */

import type { DeliveryOutcome, LookUpOutcome } from "../../channels/host_protocol.ts";
import { JournalError, type Outbound, type OutboundChange } from "../journal/journal.ts";
import type { Outcome } from "../kernel/actor.ts";
import { unreachable } from "../kernel/invariant.ts";
import { jitter, type Random } from "../kernel/random.ts";

/** How long and how often a channel tries. */
export interface RetryRules {
  /** Attempts of the quick round, the first included; 0 counts as 1. */
  readonly quickAttemptsMax: number;
  /** The platform takes the same key again for this long without showing it twice; 0: never. */
  readonly idempotencyMs: number;
}

/** An attempt to send a row. */
export interface Attempt {
  readonly row: Pick<Outbound, "key" | "attempts" | "firstAttemptMs">;
  readonly startedAtMs: number;
  /** Since when an earlier attempt is in doubt; null when none is. */
  readonly doubtBeforeMs: number | null;
}

/** What a decision depends on besides what happened. */
export interface Circumstances {
  readonly nowMs: number;
  readonly random: Random;
  readonly retry: RetryRules;
}

/** An attempt that failed. */
export type Failure = Extract<DeliveryOutcome, { readonly state: "failed" }>;

const QUICK_WAITS_MS = [1_000, 2_000, 4_000];
const SLOW_FIRST_MS = 10_000;
const SLOW_MAX_MS = 300_000;
/** Past this a delivery is given up. */
const GIVE_UP_MS = 24 * 3_600_000;
const JITTER_SHARE = 0.2;

/** Whether an attempt that began then is no longer protected by its key. */
export function isWorn(doubtSinceMs: number, nowMs: number, rules: RetryRules): boolean {
  return nowMs - doubtSinceMs >= rules.idempotencyMs;
}

/** Whether a row that failed so often has left the quick round: the failure lasts. */
export function isLasting(attempts: number, rules: RetryRules): boolean {
  return attempts >= quickMax(rules);
}

/** How an attempt failed; undefined when it did not. */
export function failureOf(outcome: Outcome<DeliveryOutcome>): Failure | undefined {
  if (outcome.state === "failed") {
    return passing(outcome.error.message);
  }
  return outcome.value.state === "failed" ? outcome.value : undefined;
}

/**
 * The change to commit after an attempt; undefined when nothing went out, because the journal could
 * not be written.
 */
export function afterAttempt(
  attempt: Attempt,
  outcome: Outcome<DeliveryOutcome>,
  circumstances: Circumstances,
): OutboundChange | undefined {
  if (outcome.state === "failed" && outcome.error instanceof JournalError) return undefined;
  const failure = failureOf(outcome);
  if (failure !== undefined) return afterFailure(attempt, failure, circumstances);
  const { key, attempts } = attempt.row;
  const receipt = outcome.state === "ok" && outcome.value.state === "sent"
    ? outcome.value.receipt.messageIds
    : [];
  return { key, state: "sent", receipt, error: null, attempts: attempts + 1 };
}

function afterFailure(
  { row, startedAtMs, doubtBeforeMs }: Attempt,
  failure: Failure,
  { nowMs, random, retry }: Circumstances,
): OutboundChange {
  const attempts = row.attempts + 1;
  const firstAttemptMs = row.firstAttemptMs ?? startedAtMs;
  const base = { key: row.key, attempts, firstAttemptMs, error: failure.message };
  if (failure.code === "delivery_permanent") return { ...base, state: "failed" };
  const isInDoubt = failure.code === "delivery_unknown" || doubtBeforeMs !== null;
  const doubtSinceMs = isInDoubt ? doubtBeforeMs ?? startedAtMs : null;
  if (nowMs - firstAttemptMs >= GIVE_UP_MS) {
    return { ...base, state: isInDoubt ? "unknown" : "failed", doubtSinceMs: null };
  }
  const isUnknown = failure.code === "delivery_unknown" && doubtSinceMs !== null &&
    isWorn(doubtSinceMs, nowMs, retry);
  if (isUnknown) return { ...base, state: "unknown", doubtSinceMs, nextAttemptMs: nowMs };
  const nextAttemptMs = nowMs + waitMs(attempts, failure, { random, retry });
  return { ...base, state: "pending", doubtSinceMs, nextAttemptMs };
}

/** What a decision about a look-up needs to know of its row. */
type DoubtfulRow = Pick<
  Outbound,
  "key" | "attempts" | "firstAttemptMs" | "doubtSinceMs" | "mayRepeat"
>;

/**
 * The change to commit after a row in doubt was looked up; undefined when it was not, because the
 * journal could not be written. Where nobody can tell, the row is sent once more and says so; if
 * that is in doubt again, it is left at that.
 */
export function afterLookUp(
  row: DoubtfulRow,
  outcome: Outcome<LookUpOutcome>,
  circumstances: Circumstances,
): OutboundChange | undefined {
  const { key } = row;
  const { nowMs } = circumstances;
  if (outcome.state === "failed") {
    if (outcome.error instanceof JournalError) return undefined;
    return afterFailedLookUp(row, passing(outcome.error.message), circumstances);
  }
  if (outcome.value.state === "failed") return afterFailedLookUp(row, outcome.value, circumstances);
  switch (outcome.value.found) {
    case "arrived":
      return { key, state: "sent", error: null };
    case "absent":
      return {
        key,
        state: "pending",
        doubtSinceMs: null,
        nextAttemptMs: nowMs + absentWaitMs(row, circumstances),
      };
    case "cannot_tell":
      if (row.mayRepeat) return { key, state: "unknown", doubtSinceMs: null };
      return { key, state: "pending", doubtSinceMs: null, mayRepeat: true, nextAttemptMs: nowMs };
    default:
      return unreachable(outcome.value.found);
  }
}

function afterFailedLookUp(
  { key, firstAttemptMs, doubtSinceMs, ...row }: DoubtfulRow,
  failure: Failure,
  { nowMs, random, retry }: Circumstances,
): OutboundChange {
  const attempts = row.attempts + 1;
  const firstMs = firstAttemptMs ?? doubtSinceMs ?? nowMs;
  const base = { key, attempts, firstAttemptMs: firstMs, error: failure.message };
  const isOver = failure.code === "delivery_permanent" || nowMs - firstMs >= GIVE_UP_MS;
  if (isOver) return { ...base, state: "unknown", doubtSinceMs: null };
  const nextAttemptMs = nowMs + waitMs(attempts, failure, { random, retry });
  return { ...base, state: "unknown", nextAttemptMs };
}

/** A first doubt may be chance; a platform that loses what it took each time is given time. */
function absentWaitMs({ attempts }: DoubtfulRow, { random, retry }: Circumstances): number {
  return attempts <= 1 ? 0 : waitMs(attempts - 1, passing("absent"), { random, retry });
}

function passing(message: string): Failure {
  return { state: "failed", code: "delivery_transient", message };
}

/** Never earlier than the platform asked, at most a fifth later. */
function waitMs(
  attempts: number,
  { retryAfterMs = 0 }: Failure,
  { random, retry }: Omit<Circumstances, "nowMs">,
): number {
  const waitMs = Math.max(ownWaitMs(attempts, retry), retryAfterMs);
  return waitMs + Math.abs(jitter(random, waitMs, JITTER_SHARE) - waitMs);
}

function ownWaitMs(attempts: number, rules: RetryRules): number {
  const quick = quickMax(rules);
  if (attempts < quick) {
    return QUICK_WAITS_MS[Math.min(attempts, QUICK_WAITS_MS.length) - 1] ?? SLOW_FIRST_MS;
  }
  return Math.min(SLOW_FIRST_MS * 2 ** (attempts - quick), SLOW_MAX_MS);
}

function quickMax({ quickAttemptsMax }: RetryRules): number {
  return Math.max(quickAttemptsMax, 1);
}
