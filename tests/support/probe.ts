/**
 * The far end of what a test looks at: a ref that remembers what it was told.
 * @module
 */

import { askTarget } from "../../actors/kernel/ask.ts";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { ActorRef, AskOptions, ReplyTo, TellResult } from "../../actors/kernel/ref.ts";
import { ManualClock } from "./manual_clock.ts";

/** How a probe is called and what it does with messages. */
export interface ProbeOptions<M> {
  /** @default "/probe" */
  readonly name?: string;
  /** Time of asks. @default a clock that stands still */
  readonly clock?: Clock;
  /** Called with each message, to answer asks. */
  readonly onMessage?: (message: M) => void;
}

/** Records every message; `received` is the list, oldest first. */
export class Probe<M> implements ActorRef<M> {
  readonly name: string;
  readonly received: M[] = [];
  /** What `tell` answers from now on; only "taken" records. */
  answer: TellResult = "taken";
  readonly #clock: Clock;
  readonly #onMessage: ((message: M) => void) | undefined;

  constructor({ name = "/probe", clock = new ManualClock(), onMessage }: ProbeOptions<M> = {}) {
    this.name = name;
    this.#clock = clock;
    this.#onMessage = onMessage;
  }

  /** The newest message, or undefined. */
  get last(): M | undefined {
    return this.received.at(-1);
  }

  tell(message: M): TellResult {
    if (this.answer !== "taken") return this.answer;
    this.received.push(message);
    this.#onMessage?.(message);
    return "taken";
  }

  ask<R>(makeMessage: (replyTo: ReplyTo<R>) => M, options: AskOptions): Promise<R> {
    const target = { name: this.name, clock: this.#clock, tell: (m: M) => this.tell(m) };
    return askTarget(target, makeMessage, options);
  }
}
