/**
 * A bounded queue of messages.
 * @module
 */

import { invariant } from "./invariant.ts";

const CAPACITY_FIRST = 8;
/** A larger ring is given back as soon as it runs empty. */
const CAPACITY_KEPT = 1_024;

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

/**
 * A message from the actor's own timers, work and watches. It belongs to one life of the actor,
 * does not count against the bound, and is neither dropped nor merged by an overflow.
 */
export class OwnMessage<M> {
  readonly message: M;
  /** The life it belongs to. */
  readonly owner: object;

  constructor(message: M, owner: object) {
    this.message = message;
    this.owner = owner;
  }
}

/** First in, first out, in a ring that grows by doubling and shrinks when it runs empty. */
export class Mailbox<M> {
  #ring: (M | OwnMessage<M> | undefined)[] = new Array(CAPACITY_FIRST);
  #head = 0;
  #size = 0;
  #own = 0;

  /** How many messages wait. */
  get size(): number {
    return this.#size;
  }

  /** How many of them were told by others: what the bound counts. */
  get told(): number {
    return this.#size - this.#own;
  }

  /** Appends a message; the bound is the caller's to hold. */
  push(message: M): void {
    this.#append(message);
  }

  /** Appends a message of the actor's own. */
  pushOwn(message: OwnMessage<M>): void {
    this.#own++;
    this.#append(message);
  }

  /** Takes the oldest message; only when one waits. */
  shift(): M | OwnMessage<M> {
    invariant(this.#size > 0, "a message waits");
    const entry = this.#ring[this.#head] as M | OwnMessage<M>;
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#size--;
    if (entry instanceof OwnMessage) this.#own--;
    if (this.#size === 0 && this.#ring.length > CAPACITY_KEPT) {
      this.#ring = new Array(CAPACITY_FIRST);
      this.#head = 0;
    }
    return entry;
  }

  /** Takes the oldest message that was told by others; only when one waits. */
  shiftTold(): M {
    invariant(this.told > 0, "a told message waits");
    let offset = 0;
    while (this.#at(offset) instanceof OwnMessage) offset++;
    const oldest = this.#at(offset) as M;
    for (; offset > 0; offset--) this.#ring[this.#index(offset)] = this.#at(offset - 1);
    this.#ring[this.#head] = undefined;
    this.#head = this.#index(1);
    this.#size--;
    return oldest;
  }

  /** Replaces the newest message that `merge` accepts; says whether there was one. */
  mergeNewest(incoming: M, merge: (waiting: M, incoming: M) => M | undefined): boolean {
    for (let offset = this.#size - 1; offset >= 0; offset--) {
      const waiting = this.#at(offset);
      if (waiting instanceof OwnMessage) continue;
      const merged = merge(waiting as M, incoming);
      if (merged !== undefined) {
        this.#ring[this.#index(offset)] = merged;
        return true;
      }
    }
    return false;
  }

  /** The told messages that wait, oldest first. */
  *waiting(): Generator<M> {
    for (let offset = 0; offset < this.#size; offset++) {
      const entry = this.#at(offset);
      if (!(entry instanceof OwnMessage)) yield entry as M;
    }
  }

  #append(entry: M | OwnMessage<M>): void {
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[this.#index(this.#size)] = entry;
    this.#size++;
  }

  #index(offset: number): number {
    return (this.#head + offset) & (this.#ring.length - 1);
  }

  #at(offset: number): M | OwnMessage<M> | undefined {
    return this.#ring[this.#index(offset)];
  }

  #grow(): void {
    const larger = new Array<M | OwnMessage<M> | undefined>(this.#ring.length * 2);
    for (let offset = 0; offset < this.#size; offset++) larger[offset] = this.#at(offset);
    this.#ring = larger;
    this.#head = 0;
  }
}
