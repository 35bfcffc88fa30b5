/**
 * Rate limits, kept ahead of time.
 * @module
 */

import { type Clock, sleep } from "../actors/kernel/clock.ts";

/** At most so many calls in any stretch of `windowMs`. */
export class RateWindow {
  readonly #callsMax: number;
  readonly #windowMs: number;
  readonly #times: number[] = [];

  constructor(callsMax: number, windowMs: number) {
    this.#callsMax = callsMax;
    this.#windowMs = windowMs;
  }

  /** When the next call may go out; epoch milliseconds. */
  nextMs(): number {
    const oldestMs = this.#times.at(-this.#callsMax);
    return oldestMs === undefined ? -Infinity : oldestMs + this.#windowMs;
  }

  /** A call goes out. */
  count(nowMs: number): void {
    this.#times.push(nowMs);
    if (this.#times.length > this.#callsMax) this.#times.shift();
  }

  /** The last call was counted by the platform at some time until now: the latest one is sure. */
  answered(nowMs: number): void {
    if (this.#times.length > 0) this.#times[this.#times.length - 1] = nowMs;
  }

  /** Whether nothing of the past counts any more. */
  isIdle(nowMs: number): boolean {
    return nowMs - (this.#times.at(-1) ?? -Infinity) >= this.#windowMs;
  }
}

/**
 * Waits until a call may go out by all of `windows`, and counts it; calls that wait together go out
 * in the order in which they come due.
 *
 * @param heldUntilMs until when the platform asked for quiet, epoch milliseconds; asked anew
 * @throws the signal's reason when it aborts first
 */
export async function takeTurn(
  clock: Clock,
  windows: readonly RateWindow[],
  heldUntilMs: () => number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const nowMs = clock.now();
    const dueMs = Math.max(heldUntilMs(), ...windows.map((window) => window.nextMs()));
    if (dueMs <= nowMs) {
      for (const window of windows) window.count(nowMs);
      return;
    }
    await sleep(clock, dueMs - nowMs, signal);
  }
}
