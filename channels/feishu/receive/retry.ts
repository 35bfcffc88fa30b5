/**
 * Asking the platform again, for a while, when it could not answer.
 * @module
 */

import { type RetryOptions, withRetries as withRetriesOf } from "../../retries.ts";
import { FeishuRefusedError, isPassing } from "../errors.ts";

/**
 * Runs `work` up to four times, as long as its failure may pass.
 *
 * @throws what the last attempt throws, or the signal's reason
 */
export function withRetries<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  return withRetriesOf(work, { ...options, waitOf });
}

/** The wait that the platform asks for, in milliseconds; null for a failure that will not pass. */
export function waitOf(error: unknown): number | null {
  if (!isPassing(error)) return null;
  return error instanceof FeishuRefusedError ? error.retryAfterMs ?? 0 : 0;
}
