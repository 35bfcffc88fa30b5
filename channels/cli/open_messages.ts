/**
 * What was said and has not come to its end, and how that is stopped.
 * @module
 */

import type { Said, SettledEvent } from "./terminal_events.ts";

/** Messages that were handed in and have not come to their end. */
export class OpenMessages {
  readonly #platformIds = new Set<string>();
  #onNone: PromiseWithResolvers<void> | undefined;
  #failures = 0;
  #addedCount = 0;

  get count(): number {
    return this.#platformIds.size;
  }

  /** How many have failed. */
  get failures(): number {
    return this.#failures;
  }

  /** How many there ever were. */
  get addedCount(): number {
    return this.#addedCount;
  }

  add(platformId: string): void {
    this.#platformIds.add(platformId);
    this.#addedCount++;
  }

  settle({ platformId, outcome }: Omit<SettledEvent, "type">): void {
    if (!this.#platformIds.delete(platformId)) return;
    if (outcome === "failed") this.#failures++;
    if (this.#platformIds.size === 0) this.#onNone?.resolve();
  }

  /** Nobody will tell of them any more. */
  giveUp(): void {
    this.#platformIds.clear();
    this.#onNone?.resolve();
  }

  /** Resolves when all have come to their end. */
  async none(): Promise<void> {
    if (this.#platformIds.size === 0) return;
    this.#onNone = Promise.withResolvers<void>();
    await this.#onNone.promise;
  }
}

/** What Ctrl-C ends first: the turn that runs. */
export class RunningTurn {
  readonly #open: OpenMessages;
  readonly #newId: () => string;
  #say: ((said: Said) => void) | undefined;
  /** Messages whose end was asked for already. */
  #stoppedCount = 0;

  constructor(open: OpenMessages, newId: () => string) {
    this.#open = open;
    this.#newId = newId;
  }

  /** How the conversation is told; before, nothing can be stopped. */
  stopBy(say: (said: Said) => void): void {
    this.#say = say;
  }

  /** Stops it. @returns false when nothing runs, or that was asked for before */
  stop(): boolean {
    const { count, addedCount } = this.#open;
    if (this.#say === undefined || count === 0 || this.#stoppedCount === addedCount) return false;
    this.#stoppedCount = addedCount;
    this.#say({ platformId: this.#newId(), content: "/stop" });
    return true;
  }
}
