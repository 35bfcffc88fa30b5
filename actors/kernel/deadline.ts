/**
 * A time limit of one piece of work, as the abort signal that the work takes.
 * @module
 */

import type { Clock, Timer } from "./clock.ts";
import { LinkedSignal } from "./linked_signal.ts";

/** What else ends the work, and what it is told. */
export interface DeadlineOptions {
  /** Aborts the work too, with its own reason. */
  readonly signal?: AbortSignal | undefined;
  /** Why the work ends when its time is over. @default an `AbortError` */
  readonly makeReason?: () => Error;
}

/** Begins when it is made; disposing of it ends the wait, and lets the other signal go. */
export class Deadline implements Disposable {
  readonly #over = new AbortController();
  readonly #linked: LinkedSignal;
  readonly #timer: Timer;

  constructor(clock: Clock, timeoutMs: number, { signal, makeReason }: DeadlineOptions = {}) {
    const others = signal === undefined ? [] : [signal];
    this.#linked = new LinkedSignal(...others, this.#over.signal);
    this.#timer = clock.setTimer(timeoutMs, () => this.#over.abort(makeReason?.()));
  }

  /** What the work takes. */
  get signal(): AbortSignal {
    return this.#linked.signal;
  }

  /** The time is over, whether or not something else ended the work before. */
  get hasPassed(): boolean {
    return this.#over.signal.aborted;
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
    this.#linked[Symbol.dispose]();
  }
}
