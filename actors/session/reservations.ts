/**
 * What model calls that are still going on will have used, roughly: chats that run side by side
 * must not spend the same rest of a budget.
 * @module
 */

import type { UsageEntry } from "../journal/journal.ts";

/** Gives back what was reserved; again does nothing. */
export type Release = () => void;

/** In memory: calls end with the process. */
export class Reservations {
  readonly #held = new Map<Release, UsageEntry>();
  #freed = Promise.withResolvers<void>();

  /** What is reserved now. */
  get entries(): readonly UsageEntry[] {
    return [...this.#held.values()];
  }

  /** Resolves with the next release. */
  get freed(): Promise<void> {
    return this.#freed.promise;
  }

  /** Reserves until it is released, which its call's end must do. */
  add(entry: UsageEntry): Release {
    const release = () => {
      if (!this.#held.delete(release)) return;
      this.#freed.resolve();
      this.#freed = Promise.withResolvers();
    };
    this.#held.set(release, entry);
    return release;
  }
}
