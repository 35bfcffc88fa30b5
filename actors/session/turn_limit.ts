/**
 * How long a turn may take that nobody waits for. A person stops a turn that hangs; a job that hangs
 * would hold up its next runs, and all else in its chat, until somebody looks.
 * @module
 */

import { type Inbound, systemSource } from "../journal/journal.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import { LinkedSignal } from "../kernel/linked_signal.ts";

/** Waiting for its permit not included; a turn that goes on after a crash has as long again. */
export const UNASKED_TURN_MINUTES = 30;

/** Whether nobody waits for the answer: it was due, and nobody asked; or nobody can hear it. */
export function isUnasked(inbound: Inbound | undefined): boolean {
  const source = inbound && systemSource(inbound);
  if (source === "cron" || source === "heartbeat") return true;
  return source === "subagent" && inbound?.replyChannel === null;
}

/** Whether it is a turn for a goal, on which the assistant works by itself. */
export function isForGoal(inbound: Inbound | undefined): boolean {
  return inbound !== undefined && systemSource(inbound) === "goal";
}

/** What a limit is made from. */
export interface TurnLimitOptions {
  readonly clock: Clock;
  /** Nobody waits for what the turn answers just now. */
  readonly isUnasked: () => boolean;
  /** The turn's own. */
  readonly signal: AbortSignal;
}

/** Ends the work on something that nobody asked for when its time is over; hold it with `using`. */
export class TurnLimit implements Disposable {
  readonly #passing = new AbortController();
  readonly #linked: LinkedSignal;
  readonly #timer: Timer | undefined;

  constructor({ clock, isUnasked, signal }: TurnLimitOptions) {
    this.#linked = new LinkedSignal(signal, this.#passing.signal);
    if (!isUnasked()) return;
    this.#timer = clock.setTimer(UNASKED_TURN_MINUTES * 60_000, () => {
      // Somebody who wrote meanwhile may have an answer in the making.
      if (isUnasked()) this.#passing.abort(new DOMException("too long", "TimeoutError"));
    });
  }

  /** Aborts with the turn's own signal, and at the end of its time. */
  get signal(): AbortSignal {
    return this.#linked.signal;
  }

  /** Whether it is what ended the work that threw this. */
  hasEnded(thrown: unknown): boolean {
    return this.#passing.signal.aborted && thrown === this.signal.reason;
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#linked[Symbol.dispose]();
  }
}
