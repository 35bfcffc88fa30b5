/**
 * Asking a platform again, for a while, when it could not answer.
 * @module
 */

import { type Clock, sleep } from "../actors/kernel/clock.ts";

/** Waits before the second, third and fourth attempt. */
const WAITS_MS: readonly number[] = [1_000, 2_000, 4_000];
/** A message is not held up for longer, whatever the platform asks for. */
const WAIT_MS_MAX = 30_000;

/** Where time is waited, and what ends the waiting. */
export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` up to four times, as long as its failure may pass.
 *
 * @param waitOf the wait that the platform asks for, in milliseconds (0: none); null for a failure
 * that will not pass
 * @throws what the last attempt throws, or the signal's reason
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  { clock, signal, waitOf }: RetryOptions & { readonly waitOf: (error: unknown) => number | null },
): Promise<T> {
  for (let attempt = 0;; attempt++) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const waitMs = WAITS_MS[attempt];
      const toldMs = waitOf(error);
      if (waitMs === undefined || toldMs === null) throw error;
      await sleep(clock, Math.min(Math.max(waitMs, toldMs), WAIT_MS_MAX), signal);
    }
  }
}
