/**
 * Time as a part that is handed in, so that tests and the simulated world can own it.
 * @module
 */

/** A running timer; cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/** Where time comes from. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `callback` once, `delayMs` milliseconds from now (0 = as soon as the loop turns). */
  setTimer(delayMs: number, callback: () => void): Timer;
}

/**
 * Waits `delayMs` on `clock`.
 *
 * @throws the signal's reason when it aborts first
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal?.aborted) {
    reject(signal.reason);
    return promise;
  }
  const abort = () => {
    timer.cancel();
    reject(signal?.reason);
  };
  const timer = clock.setTimer(delayMs, () => {
    signal?.removeEventListener("abort", abort);
    resolve();
  });
  signal?.addEventListener("abort", abort, { once: true });
  return promise;
}
