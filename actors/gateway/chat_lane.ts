/**
 * What waits for one chat, and which of it comes next. One thing is under way at a time.
 * @module
 */

import type { Outbound } from "../journal/journal.ts";
import type { Timer } from "../kernel/clock.ts";
import type { OutboxMessage } from "../session/ports.ts";

/** News of a growing answer. */
export type Growth = Extract<OutboxMessage, { type: "stream_grew" }>;
/** A word on the way, for channels that do not stream. */
export type Progress = Extract<OutboxMessage, { type: "progress" }>;

/** Words on the way that may wait; the oldest go first when there are more. */
const PROGRESS_MAX = 3;

/** What a lane does next. */
export type Next =
  | { readonly type: "nothing" }
  | { readonly type: "wait"; readonly delayMs: number }
  | { readonly type: "progress"; readonly progress: Progress }
  | { readonly type: "growing"; readonly row: Outbound; readonly growth: Growth }
  | { readonly type: "final"; readonly row: Outbound };

/** The rows of one chat: `open` ones may be shown, all others are sent or looked up in order. */
export class ChatLane {
  /** The key of what is under way; "" for a word on the way, undefined for nothing. */
  busyWith: string | undefined;
  /** Runs while the lane waits for a retry. */
  wake: Timer | undefined;
  readonly #pending: Outbound[] = [];
  /** Rows that are being read: nothing is sent before it is known whether they come first. */
  readonly #expected = new Set<string>();
  readonly #open = new Map<string, Outbound>();
  readonly #growth = new Map<string, Growth>();
  readonly #progress: Progress[] = [];
  #heldUntilMs = 0;
  #growthHeldUntilMs = 0;

  get isEmpty(): boolean {
    const here = this.#pending.length + this.#open.size + this.#progress.length;
    return here + this.#expected.size === 0;
  }

  get isBusy(): boolean {
    return this.busyWith !== undefined;
  }

  /** Keys of rows that may still grow. */
  get openKeys(): readonly string[] {
    return [...this.#open.keys()];
  }

  get hasPending(): boolean {
    return this.#pending.length > 0;
  }

  /** Adds a row, before those that were made after it: it may be known later than they are. */
  add(row: Outbound): void {
    if (row.state === "open") {
      this.#open.set(row.key, row);
      return;
    }
    const index = this.#pending.findIndex(({ id }) => id > row.id);
    this.#pending.splice(index === -1 ? this.#pending.length : index, 0, row);
  }

  /** A row is being read that may come before what is here; `arrived` must follow. */
  expect(key: string): void {
    this.#expected.add(key);
  }

  /** What was expected was read, and added if it still waits. */
  arrived(key: string): void {
    this.#expected.delete(key);
  }

  /** A row that waits to be sent, if it is here. */
  pending(key: string): Outbound | undefined {
    return this.#pending.find((row) => row.key === key);
  }

  /** Takes a newer version of a row that is here; true when that completes an open one. */
  update(row: Outbound): boolean {
    const isOpen = this.#open.has(row.key);
    if (isOpen && row.state === "open") {
      this.#open.set(row.key, row);
      return false;
    }
    if (isOpen) {
      this.remove(row.key);
      this.#pending.push(row);
      return true;
    }
    const index = this.#pending.findIndex(({ key }) => key === row.key);
    if (index >= 0) this.#pending[index] = row;
    return false;
  }

  remove(key: string): void {
    this.#open.delete(key);
    this.#growth.delete(key);
    const index = this.#pending.findIndex((row) => row.key === key);
    if (index >= 0) this.#pending.splice(index, 1);
  }

  grow(growth: Growth): void {
    if (this.#open.has(growth.key)) this.#growth.set(growth.key, growth);
  }

  addProgress(progress: Progress): void {
    this.#progress.push(progress);
    if (this.#progress.length > PROGRESS_MAX) this.#progress.shift();
  }

  /** Begins nothing until then. */
  hold(untilMs: number): void {
    this.#heldUntilMs = untilMs;
  }

  /** Shows nothing growing until then: the platform asked for a rest. */
  holdGrowth(untilMs: number): void {
    this.#growthHeldUntilMs = untilMs;
  }

  /** Takes out what comes next; final rows stay until they are removed. */
  next(nowMs: number, isStreaming: boolean): Next {
    if (nowMs < this.#heldUntilMs) return { type: "wait", delayMs: this.#heldUntilMs - nowMs };
    const progress = this.#progress.shift();
    if (progress !== undefined) return { type: "progress", progress };
    const head = this.#expected.size === 0 ? this.#pending[0] : undefined;
    if (head !== undefined && head.nextAttemptMs <= nowMs) return { type: "final", row: head };
    const growing = isStreaming ? this.#nextGrowth(nowMs) : undefined;
    if (growing !== undefined) return growing;
    const dueMs = Math.min(
      head?.nextAttemptMs ?? Infinity,
      isStreaming && this.#growth.size > 0 ? this.#growthHeldUntilMs : Infinity,
    );
    return dueMs === Infinity ? { type: "nothing" } : { type: "wait", delayMs: dueMs - nowMs };
  }

  #nextGrowth(nowMs: number): Next | undefined {
    if (nowMs < this.#growthHeldUntilMs) return undefined;
    for (const [key, growth] of this.#growth) {
      this.#growth.delete(key);
      const row = this.#open.get(key);
      if (row !== undefined) return { type: "growing", row, growth };
    }
    return undefined;
  }
}
