/**
 * A bounded queue of messages.
 * @module
 */

import { invariant } from "./invariant.ts";

const CAPACITY_FIRST = 8;

/**
 * What a full mailbox does with one message more: refuse it, drop the oldest one, or merge it
 * into one that waits.
 */
export type Overflow<M> =
  | { readonly type: "refuse" }
  | { readonly type: "drop_oldest" }
  | {
    readonly type: "merge";
    /** The message that stands for both, or undefined where the two cannot be one. */
    readonly merge: (waiting: M, incoming: M) => M | undefined;
  };

/** First in, first out, in a ring that grows by doubling and shrinks when it runs empty. */
export class Mailbox<M> {
  #ring: (M | undefined)[] = new Array(CAPACITY_FIRST);
  #head = 0;
  #size = 0;

  /** How many messages wait. */
  get size(): number {
    return this.#size;
  }

  /** Appends a message; the bound is the caller's to hold. */
  push(message: M): void {
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#size) & (this.#ring.length - 1)] = message;
    this.#size++;
  }

  /** Takes the oldest message; only when one waits. */
  shift(): M {
    invariant(this.#size > 0, "a message waits");
    const message = this.#ring[this.#head] as M;
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#size--;
    if (this.#size === 0 && this.#ring.length > 1024) {
      this.#ring = new Array(CAPACITY_FIRST);
      this.#head = 0;
    }
    return message;
  }

  /** Replaces the newest message that `merge` accepts; says whether there was one. */
  mergeNewest(incoming: M, merge: (waiting: M, incoming: M) => M | undefined): boolean {
    for (let offset = this.#size - 1; offset >= 0; offset--) {
      const index = (this.#head + offset) & (this.#ring.length - 1);
      const merged = merge(this.#ring[index] as M, incoming);
      if (merged !== undefined) {
        this.#ring[index] = merged;
        return true;
      }
    }
    return false;
  }

  #grow(): void {
    const larger = new Array<M | undefined>(this.#ring.length * 2);
    for (let offset = 0; offset < this.#size; offset++) {
      larger[offset] = this.#ring[(this.#head + offset) & (this.#ring.length - 1)];
    }
    this.#ring = larger;
    this.#head = 0;
  }
}
