/**
 * Notices that a server says nothing any more.
 * @module
 */

import type { Clock, Timer } from "../actors/kernel/clock.ts";

/**
 * Calls `onStall` once, when a word is expected for longer than its limit. The time in between,
 * which the reader takes for what it got, does not count. One timer serves many waits.
 */
export class StallWatchdog implements Disposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onStall: () => void;
  #deadlineMs: number | undefined;
  #timer: Timer | undefined;
  #timerDueMs = 0;
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

  /** From now on a word is expected; while one is, nothing changes. */
  expect(limitMs: number = this.#limitMs): void {
    if (this.#deadlineMs !== undefined) return;
    this.#deadlineMs = this.#clock.now() + Math.min(limitMs, this.#limitMs);
    if (this.#timer !== undefined && this.#timerDueMs <= this.#deadlineMs) return;
    this.#timer?.cancel();
    this.#wait(this.#deadlineMs);
  }

  /** The word has come. */
  rest(): void {
    this.#deadlineMs = undefined;
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wait(untilMs: number): void {
    this.#timerDueMs = untilMs;
    this.#timer = this.#clock.setTimer(untilMs - this.#clock.now(), () => this.#check());
  }

  #check(): void {
    this.#timer = undefined;
    if (this.#deadlineMs === undefined) return;
    if (this.#deadlineMs > this.#clock.now()) return this.#wait(this.#deadlineMs);
    this.#hasStalled = true;
    this.#onStall();
  }
}
