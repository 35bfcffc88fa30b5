/**
 * Tells a silent Worker from a busy main thread.
 * @module
 */

import type { Clock, Timer } from "./clock.ts";

/** What a heartbeat needs. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Calls back after the event loop has turned once, so that what has arrived is read first. */
  readonly nextTurn: (callback: () => void) => void;
  readonly everyMs: number;
  /** Beats in a row without any sign of life that mean death. */
  readonly missesMax: number;
  /** Asks the other side for a sign of life. */
  readonly beat: () => void;
  readonly onSilent: () => void;
}

/**
 * Beats and counts the beats that stayed without an answer. A beat is judged only after the loop
 * has turned, and not at all when its timer came late: then this side was blocked or asleep, which
 * says nothing about the other one.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #misses = 0;
  #isHeard = true;
  #isStopped = false;
  #timer: Timer | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Sends the first beat. */
  start(): void {
    const { clock, everyMs, nextTurn } = this.#options;
    if (this.#isStopped) return;
    this.#isHeard = false;
    this.#options.beat();
    const dueMs = clock.now() + everyMs;
    this.#timer = clock.setTimer(everyMs, () => {
      const isLate = clock.now() - dueMs > everyMs / 2;
      nextTurn(() => nextTurn(() => this.#judge(isLate)));
    });
  }

  /** The other side gave a sign of life. */
  heard(): void {
    this.#isHeard = true;
  }

  /** Ends it; nothing is reported any more. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #judge(isLate: boolean): void {
    if (this.#isStopped) return;
    if (this.#isHeard) this.#misses = 0;
    else if (!isLate) this.#misses++;
    if (this.#misses < this.#options.missesMax) return this.start();
    this.stop();
    this.#options.onSilent();
  }
}
