/**
 * Notices that a stream says nothing any more.
 * @module
 */

import type { Clock, Timer } from "../actors/kernel/clock.ts";

/**
 * Calls `onStall` once, when a wait lasts longer than `limitMs`. Only waits count: the time that
 * the reader takes for what it got does not. One timer serves many waits.
 */
export class StallWatchdog implements Disposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onStall: () => void;
  #deadlineMs: number | undefined;
  #timer: Timer | undefined;
  #hasStalled = false;

  constructor(clock: Clock, limitMs: number, onStall: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onStall = onStall;
  }

  /** Whether the limit was passed. */
  get hasStalled(): boolean {
    return this.#hasStalled;
  }

  /** Waits for `work`, under the limit. */
  async watch<T>(work: Promise<T>): Promise<T> {
    this.#deadlineMs = this.#clock.now() + this.#limitMs;
    this.#timer ??= this.#clock.setTimer(this.#limitMs, () => this.#check());
    try {
      return await work;
    } finally {
      this.#deadlineMs = undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #check(): void {
    this.#timer = undefined;
    if (this.#deadlineMs === undefined) return;
    const leftMs = this.#deadlineMs - this.#clock.now();
    if (leftMs > 0) {
      this.#timer = this.#clock.setTimer(leftMs, () => this.#check());
      return;
    }
    this.#hasStalled = true;
    this.#onStall();
  }
}
