/**
 * The time of a recording: it stands where the recorded step stood.
 * @module
 */

import type { Clock, Timer } from "../../kernel/clock.ts";

/** Stands still until it is set. */
export class ReplayClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<() => void>();

  now(): number {
    return this.#nowMs;
  }

  setTimer(_delayMs: number, callback: () => void): Timer {
    this.#timers.add(callback);
    return { cancel: () => void this.#timers.delete(callback) };
  }

  /** It is this time from now on. */
  set(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  /** All that waits has waited long enough. */
  fire(): void {
    const due = [...this.#timers];
    this.#timers.clear();
    for (const callback of due) callback();
  }
}
