/**
 * Keeps a shortest time between the updates of a card.
 * @module
 */

import { type Clock, sleep } from "../../../actors/kernel/clock.ts";

/** The platform takes ten operations a second; people see no difference above two. */
const UPDATE_INTERVAL_MS = 500;

/** Lets one update through per interval. */
export class Pacer {
  readonly #clock: Clock;
  #nextMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until an update may go out, and counts it.
   *
   * @throws the signal's reason when it aborts first
   */
  async turn(signal: AbortSignal): Promise<void> {
    const waitMs = this.#nextMs - this.#clock.now();
    if (waitMs > 0) await sleep(this.#clock, waitMs, signal);
    this.count();
  }

  /** Counts an update that goes out now. */
  count(): void {
    this.#nextMs = this.#clock.now() + UPDATE_INTERVAL_MS;
  }
}
