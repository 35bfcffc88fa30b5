/**
 * Decides when actors with waiting messages run.
 * @module
 */

import { withoutTrace } from "./trace.ts";

/** Something that can run for a while and says whether more is left. */
export interface Runnable {
  /** Handles a bounded batch, of at most `messagesMax` if given; true when more waits. */
  run(messagesMax?: number): boolean;
}

/** Runs what is scheduled, later, in whatever order it likes; each runnable at most once at a time. */
export interface Scheduler {
  schedule(runnable: Runnable): void;
}

/** How many batches run before timers and I/O get their turn. */
const BATCHES_PER_TURN = 256;

/**
 * First come, first served. Starts in a microtask; after `BATCHES_PER_TURN` batches the rest waits
 * for `defer`, so that a storm of messages cannot starve I/O.
 */
export class FairScheduler implements Scheduler {
  readonly #defer: (callback: () => void) => void;
  #queue: Runnable[] = [];
  #isPending = false;
  #batches = 0;
  // Whose message set the loop going says nothing of the others that it handles.
  readonly #run = (): void => this.#runBatches();
  readonly #drain = (): void => withoutTrace(this.#run);
  readonly #turn = (): void => {
    this.#batches = 0;
    withoutTrace(this.#run);
  };

  /** @param defer calls back after the event loop has turned once */
  constructor(defer: (callback: () => void) => void) {
    this.#defer = defer;
  }

  schedule(runnable: Runnable): void {
    this.#queue.push(runnable);
    if (this.#isPending) return;
    this.#isPending = true;
    if (this.#batches >= BATCHES_PER_TURN) this.#defer(this.#turn);
    else queueMicrotask(this.#drain);
  }

  #runBatches(): void {
    while (this.#queue.length > 0) {
      const round = this.#queue;
      this.#queue = [];
      for (let index = 0; index < round.length; index++) {
        if (this.#batches >= BATCHES_PER_TURN) {
          this.#queue = [...round.slice(index), ...this.#queue];
          return this.#defer(this.#turn);
        }
        this.#batches++;
        const runnable = round[index] as Runnable;
        if (runnable.run()) this.#queue.push(runnable);
      }
    }
    this.#isPending = false;
  }
}
