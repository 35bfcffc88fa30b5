/**
 * Whether a client is still there: it is pinged, and whoever neither answers nor takes anything is
 * gone.
 * @module
 */

import type { Clock, Timer } from "../../../actors/kernel/clock.ts";

/** How a pulse is taken. */
export interface PulseOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** How long an answer may take. */
  readonly timeoutMs: number;
  readonly ping: () => void;
  /** Whether the client cannot answer just now, through no fault of its own. */
  readonly isExcused: () => boolean;
  /** Called once, when nothing came. */
  readonly onLost: () => void;
}

/** The pulse of one client, until it is disposed of. */
export class Pulse implements Disposable {
  readonly #options: PulseOptions;
  #hasLived = true;
  #timer: Timer;

  constructor(options: PulseOptions) {
    this.#options = options;
    this.#timer = this.#wait();
  }

  /** The client did something. */
  note(): void {
    this.#hasLived = true;
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
  }

  #wait(): Timer {
    const { clock, intervalMs } = this.#options;
    return clock.setTimer(intervalMs, () => this.#ask());
  }

  #ask(): void {
    const { clock, timeoutMs, ping, isExcused, onLost } = this.#options;
    this.#hasLived = false;
    ping();
    this.#timer = clock.setTimer(timeoutMs, () => {
      if (this.#hasLived || isExcused()) this.#timer = this.#wait();
      else onLost();
    });
  }
}
