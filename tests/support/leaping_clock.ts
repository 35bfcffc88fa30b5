/**
 * A clock for long times: what falls due meanwhile happens once, late, as on a machine that slept.
 * @module
 */

import type { Clock, Timer } from "../../actors/kernel/clock.ts";
import { settle } from "./until.ts";

/** Stands still until it leaps. */
export class LeapingClock implements Clock {
  #nowMs = Date.UTC(2026, 0, 1);
  readonly #timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const timer = { dueMs: this.#nowMs + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** Moves time and fires what is due then, in order. */
  async leap(ms: number): Promise<void> {
    this.#nowMs += ms;
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= this.#nowMs)
      .toSorted((one, other) => one.dueMs - other.dueMs);
    for (const timer of due) {
      if (this.#timers.delete(timer)) timer.callback();
    }
    await settle();
  }
}
