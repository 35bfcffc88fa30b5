/**
 * Keeps a shortest time between calls of one kind.
 * @module
 */

import { type Clock, sleep } from "../../../actors/kernel/clock.ts";

/** Lets one call through per interval, the first one at once. */
export class Pacer {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #nextMs = -Infinity;

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /**
   * Waits until a call may go out, and counts it.
   *
   * @throws the signal's reason when it aborts first
   */
  async turn(signal: AbortSignal): Promise<void> {
    const waitMs = this.#nextMs - this.#clock.now();
    if (waitMs > 0) await sleep(this.#clock, waitMs, signal);
    this.count();
  }

  /** Counts a call that goes out now. */
  count(): void {
    this.#nextMs = this.#clock.now() + this.#intervalMs;
  }
}
