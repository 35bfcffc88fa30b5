/**
 * Notices a connection that is up and yet gives no sign of life: pings are answered every two
 * minutes at the latest.
 * @module
 */

import type { Clock, Timer } from "../../actors/kernel/clock.ts";

/** Two pings and a margin. */
const SILENT_AFTER_MS = 5 * 60_000;
/** How often a lasting silence is told. */
const TELL_EVERY_MS = 5 * 60_000;

/** What a watch tells. */
export interface SilenceWatchOptions {
  readonly clock: Clock;
  readonly onSilent: (silentMs: number) => void;
  /** The first sign of life after a silence. */
  readonly onHeard: () => void;
}

/** Watches one connection from its start; dispose of it at its end. */
export class SilenceWatch implements Disposable {
  readonly #options: SilenceWatchOptions;
  #heardAtMs: number;
  #isSilent = false;
  #timer: Timer | null;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
    this.#heardAtMs = options.clock.now();
    this.#timer = this.#after(SILENT_AFTER_MS);
  }

  /** A sign of life came. */
  heard(): void {
    this.#heardAtMs = this.#options.clock.now();
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#options.onHeard();
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #look(): void {
    const silentMs = this.#options.clock.now() - this.#heardAtMs;
    if (silentMs < SILENT_AFTER_MS) {
      this.#timer = this.#after(SILENT_AFTER_MS - silentMs);
      return;
    }
    this.#isSilent = true;
    this.#timer = this.#after(TELL_EVERY_MS);
    this.#options.onSilent(silentMs);
  }

  #after(delayMs: number): Timer {
    return this.#options.clock.setTimer(delayMs, () => this.#look());
  }
}
