/**
 * Waiting in tests: for a condition with a deadline, never for a time.
 * @module
 */

import { setImmediate } from "node:timers/promises";

/** Turns of the event loop that what is on its way needs, deferred batches of actors included. */
const TURNS_TO_SETTLE = 4;
/** A machine that does ten other things needs seconds for what else is there at once. */
const TIMEOUT_MS = 20_000;

/** How long to wait, and for what. */
export interface UntilOptions {
  /** @default so long that only what never happens takes longer, on a busy machine too */
  readonly timeoutMs?: number;
  /** Named in the failure. @default "the condition" */
  readonly what?: string;
  /** Between two looks; to be longer where a look costs something. @default 1 */
  readonly pauseMs?: number;
}

/**
 * Waits, on the real event loop, until `condition` holds.
 *
 * @throws {Error} when it does not hold in time
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = TIMEOUT_MS, what = "the condition", pauseMs = 1 }: UntilOptions = {},
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  for (let polls = 0; !await condition(); polls++) {
    if (performance.now() > deadlineMs) {
      throw new Error(`Cannot go on: ${what} did not hold within ${timeoutMs} ms`);
    }
    if (pauseMs <= 1 && polls < 20) await setImmediate();
    else await new Promise<void>((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Lets everything run that needs neither time nor I/O: messages on their way, settled promises. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_SETTLE; turn++) await setImmediate();
}
