/**
 * Work that an actor runs beside its mailbox, and whose end its next life waits for.
 * @module
 */

import type { ActorContext, Outcome, Work } from "./actor.ts";

/** Of one actor. */
export class WorkBeside<M> {
  readonly #context: ActorContext<M>;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(context: ActorContext<M>) {
    this.#context = context;
  }

  /** Runs work and tells the actor of its outcome. */
  pipe<T>(
    work: (signal: AbortSignal) => Promise<T>,
    makeMessage: (outcome: Outcome<T>) => M,
  ): Work {
    return this.#context.pipe((signal) => {
      const promise = work(signal);
      this.#underWay.add(promise);
      const forget = () => this.#underWay.delete(promise);
      promise.then(forget, forget);
      return promise;
    }, makeMessage);
  }

  /** Waits until nothing is under way. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }
}

/** What work gave; a failure restarts the actor that asks, which reads anew what it needs. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.state === "failed") throw outcome.error;
  return outcome.value;
}
