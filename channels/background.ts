/**
 * Work that a channel does beside what it receives.
 * @module
 */

import type { Logger } from "@logtape/logtape";

/** Keeps track of work that nobody waits for; dispose of it to wait for all of it. */
export class Background implements AsyncDisposable {
  readonly #logger: Logger;
  readonly #signal: AbortSignal;
  readonly #underWay = new Set<Promise<void>>();

  /** @param signal ends the work; what fails after that is told to nobody */
  constructor(logger: Logger, signal: AbortSignal) {
    this.#logger = logger;
    this.#signal = signal;
  }

  /** Begins `work` and returns at once; a failure is logged as `Cannot <what>`. */
  run(what: string, work: () => Promise<void>): void {
    const working = work().catch((error) => {
      if (this.#signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#logger.error("Cannot {what}: {reason}", { what, reason });
    }).finally(() => this.#underWay.delete(working));
    this.#underWay.add(working);
  }

  /** Waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
