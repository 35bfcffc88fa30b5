/**
 * A clock that stands still until the test moves it.
 * @module
 */

import type { Clock, Timer } from "../../actors/kernel/clock.ts";
import { settle } from "./until.ts";

interface PendingTimer {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Simulated time: timers fire in order of their due time, and only while `advance` runs. */
export class ManualClock implements Clock {
  #nowMs: number;
  #order = 0;
  #timers = new Set<PendingTimer>();

  /** @param startMs the first instant, epoch milliseconds */
  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  /** How many timers run; 0 at the end of a test proves that none was forgotten. */
  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer is due, or undefined when none runs. */
  get nextDueMs(): number | undefined {
    return this.#next()?.dueMs;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const dueMs = this.#nowMs + Math.max(0, delayMs);
    const timer = { dueMs, order: this.#order++, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /**
   * Moves time by `ms` and fires what falls due, in order; what a timer sets off (messages,
   * promises, further timers) happens before the next one fires.
   */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settle();
    for (let next = this.#next(); next && next.dueMs <= endMs; next = this.#next()) {
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.callback();
      await settle();
    }
    this.#nowMs = endMs;
  }

  #next(): PendingTimer | undefined {
    let first: PendingTimer | undefined;
    for (const timer of this.#timers) {
      const isEarlier = first === undefined || timer.dueMs < first.dueMs ||
        (timer.dueMs === first.dueMs && timer.order < first.order);
      if (isEarlier) first = timer;
    }
    return first;
  }
}
