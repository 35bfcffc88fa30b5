/**
 * One chat: the last things that happened in it, the answers that grow just now, and who follows.
 * Followers are not sent anything; they are told that there is news, and take it at their own pace.
 * @module
 */

import { type Entry, type EntryContents, weightOf } from "./entry.ts";

/** What is kept for clients that come back; the session has all of it. */
export const ENTRIES_MAX = 200;
const WEIGHT_MAX = 1024 * 1024;
/** Answers that grow at the same time; one that is left behind is made whole by its end. */
const STREAMS_MAX = 32;

/** An answer that grows. */
export interface GrowingAnswer {
  readonly text: string;
  /** What runs just now; "" when nothing does. */
  readonly activity: string;
  /** What the model thinks, the end of it; "" when nobody asked for it. */
  readonly reasoning: string;
}

/** Somebody who follows a chat. */
export interface Follower {
  /** There is something new. */
  noteNews(): void;
  /** Of a growing answer only the first `units` are as they were. */
  rewind(streamId: string, units: number): void;
}

/** What was read back of a chat. */
export interface KeptChat {
  /** The client whose chat it is; null when it is nobody's. */
  readonly owner: string | null;
  readonly entries: readonly Entry[];
}

/** A chat in memory. */
export class Chat {
  readonly id: string;
  readonly followers: Set<Follower> = new Set();
  readonly streams: Map<string, GrowingAnswer> = new Map();
  owner: string | null;
  readonly #entries: Entry[];
  #weight: number;
  /** Everything up to this number is not here any more. */
  #lostThrough: number;

  constructor(id: string, { owner, entries }: KeptChat) {
    this.id = id;
    this.owner = owner;
    this.#entries = [...entries];
    this.#weight = entries.reduce((sum, entry) => sum + weightOf(entry), 0);
    this.#lostThrough = (entries[0]?.seq ?? 1) - 1;
    this.#trim();
  }

  /** The number of the last thing that happened. */
  get seq(): number {
    return this.#entries.at(-1)?.seq ?? this.#lostThrough;
  }

  /** Up to here things are known to be missing. */
  get lostThrough(): number {
    return this.#lostThrough;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Whether it can be forgotten until it is needed again. */
  get isIdle(): boolean {
    return this.followers.size === 0 && this.streams.size === 0;
  }

  /** What a delivery left here; undefined when it is not here, or not any more. */
  delivered(key: string): Entry | undefined {
    return this.#entries.findLast((entry) => entry.key === key);
  }

  /** The first entry after a number. */
  after(seq: number): Entry | undefined {
    // Numbers rise, mostly by one each.
    const guess = this.#entries[seq - this.#lostThrough];
    if (guess?.seq === seq + 1) return guess;
    return this.#entries.find((entry) => entry.seq > seq);
  }

  /** The message with this id as it looks now, when it has choices that can still be made. */
  openChoice(messageId: string): Entry | undefined {
    const last = this.#entries.findLast((entry) =>
      entry.kind !== "settled" && entry.messageId === messageId
    );
    return last !== undefined && last.choices.length > 0 ? last : undefined;
  }

  /** An answer grows. */
  grow(streamId: string, answer: GrowingAnswer): void {
    this.#replace(streamId, answer.text);
    this.streams.set(streamId, answer);
    const [oldest] = this.streams.keys();
    if (this.streams.size > STREAMS_MAX && oldest !== undefined) this.streams.delete(oldest);
    this.#tell();
  }

  /** Something happened. An answer that grew ends with it. */
  add(contents: EntryContents): void {
    if (contents.kind === "message") this.#replace(contents.messageId, contents.text);
    this.streams.delete(contents.messageId);
    const entry: Entry = { ...contents, seq: this.seq + 1 };
    this.#entries.push(entry);
    this.#weight += weightOf(entry);
    this.#trim();
    this.#tell();
  }

  #replace(streamId: string, text: string): void {
    const before = this.streams.get(streamId)?.text ?? "";
    if (text.startsWith(before)) return;
    const units = commonUnits(before, text);
    for (const follower of this.followers) follower.rewind(streamId, units);
  }

  #trim(): void {
    while (this.#entries.length > ENTRIES_MAX || this.#weight > WEIGHT_MAX) {
      if (this.#entries.length <= 1) return;
      const oldest = this.#entries.shift();
      if (oldest === undefined) return;
      this.#weight -= weightOf(oldest);
      this.#lostThrough = oldest.seq;
    }
  }

  #tell(): void {
    for (const follower of this.followers) follower.noteNews();
  }
}

/** How far two texts are the same, without the half of a character. */
function commonUnits(one: string, other: string): number {
  let units = 0;
  while (units < one.length && units < other.length && one[units] === other[units]) units++;
  const last = one.charCodeAt(units - 1);
  return last >= 0xd800 && last < 0xdc00 ? units - 1 : units;
}
