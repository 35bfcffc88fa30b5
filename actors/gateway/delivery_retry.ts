/**
 * What a failed delivery means for its row: try again when, or give up.
 * @module
 */

import type { DeliveryOutcome } from "../../channels/channel_host.ts";
import type { Outbound, OutboundChange } from "../journal/journal.ts";
import { jitter, type Random } from "../kernel/random.ts";

/** How long and how often a channel tries. */
export interface RetryRules {
  /** Attempts of the quick round, the first included; 0 counts as 1. */
  readonly quickAttemptsMax: number;
  /** The platform takes the same key again for this long without showing it twice; 0: never. */
  readonly idempotencyMs: number;
}

const QUICK_WAITS_MS = [1_000, 2_000, 4_000];
const SLOW_FIRST_MS = 10_000;
const SLOW_MAX_MS = 300_000;
/** Past this a delivery is given up. */
const GIVE_UP_MS = 24 * 3_600_000;
const JITTER_SHARE = 0.2;

/** The change to commit after a failure at `nowMs`. */
export function afterFailure(
  row: Pick<Outbound, "key" | "attempts" | "firstAttemptMs">,
  failure: Extract<DeliveryOutcome, { state: "failed" }>,
  nowMs: number,
  rules: RetryRules,
  random: Random,
): OutboundChange {
  const attempts = row.attempts + 1;
  const firstAttemptMs = row.firstAttemptMs ?? nowMs;
  const base = { key: row.key, attempts, firstAttemptMs, error: failure.message };
  const ageMs = nowMs - firstAttemptMs;
  if (failure.code === "delivery_permanent") return { ...base, state: "failed" };
  if (failure.code === "delivery_unknown" && ageMs >= rules.idempotencyMs) {
    return { ...base, state: "unknown" };
  }
  if (ageMs >= GIVE_UP_MS) return { ...base, state: "failed" };
  const waitMs = Math.max(ownWaitMs(attempts, rules), failure.retryAfterMs ?? 0);
  return { ...base, state: "pending", nextAttemptMs: nowMs + jitterUp(random, waitMs) };
}

function ownWaitMs(attempts: number, { quickAttemptsMax }: RetryRules): number {
  const quickMax = Math.max(quickAttemptsMax, 1);
  if (attempts < quickMax) {
    return QUICK_WAITS_MS[Math.min(attempts, QUICK_WAITS_MS.length) - 1] ?? SLOW_FIRST_MS;
  }
  return Math.min(SLOW_FIRST_MS * 2 ** (attempts - quickMax), SLOW_MAX_MS);
}

/** Never earlier than asked, at most a fifth later. */
function jitterUp(random: Random, waitMs: number): number {
  return waitMs + Math.abs(jitter(random, waitMs, JITTER_SHARE) - waitMs);
}
