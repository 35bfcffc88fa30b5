/**
 * Simulated time: it stands still while anything runs, and then jumps to what is due next.
 * @module
 */

import { setImmediate } from "node:timers/promises";
import type { Clock, Timer } from "../../actors/kernel/clock.ts";

interface Pending {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
  /** Nothing waits for it: it comes again and again as long as its owner lives. */
  readonly isRoutine: boolean;
  isCancelled: boolean;
}

/** How far a run goes. */
export interface RunLimits {
  readonly eventsMax: number;
  /** Goes on until then, also where only routine is left. @default stops at rest */
  readonly untilMs?: number;
}

/** How a run ended: nothing was left to happen, or it took more events than allowed. */
export type RunEnd = "at_rest" | "never_at_rest";

/** The clock of the whole world: people, platforms and all lives of the gateway. */
export class SimulatedTime implements Clock {
  #nowMs: number;
  #order = 0;
  #events = 0;
  /** Timers that run and are no routine. */
  #awaited = 0;
  /** A binary heap, earliest first. */
  readonly #heap: Pending[] = [];

  /** @param startMs the first instant, epoch milliseconds */
  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  /** Timers that fired since the start. */
  get events(): number {
    return this.#events;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    return this.#setTimer(delayMs, callback, false);
  }

  /** A clock for those who only look after things now and then: a run does not wait for them. */
  get routine(): Clock {
    return {
      now: () => this.#nowMs,
      setTimer: (delayMs, callback) => this.#setTimer(delayMs, callback, true),
    };
  }

  /**
   * Lets everything happen that will: messages and promises first, then the next timer, and so on
   * until no timer is left, routine aside.
   */
  async run({ eventsMax, untilMs = -Infinity }: RunLimits): Promise<RunEnd> {
    for (let events = 0; events < eventsMax; events++) {
      await setImmediate(); // all that needs no time: nothing else uses the event loop
      const next = this.#takeNext(untilMs);
      if (next === undefined) return "at_rest";
      this.#nowMs = next.dueMs;
      this.#events++;
      if (!next.isRoutine) this.#awaited--;
      next.callback();
    }
    return "never_at_rest";
  }

  #setTimer(delayMs: number, callback: () => void, isRoutine: boolean): Timer {
    const dueMs = this.#nowMs + Math.max(0, delayMs);
    const order = this.#order++;
    const timer: Pending = { dueMs, order, callback, isRoutine, isCancelled: false };
    this.#push(timer);
    if (!isRoutine) this.#awaited++;
    return { cancel: () => this.#cancel(timer) };
  }

  /** Harmless where it was cancelled or has fired. */
  #cancel(timer: Pending): void {
    if (timer.isCancelled) return;
    timer.isCancelled = true;
    if (!timer.isRoutine) this.#awaited--;
  }

  #takeNext(untilMs: number): Pending | undefined {
    for (;;) {
      const [next] = this.#heap;
      if (next === undefined) return undefined;
      if (!next.isCancelled && this.#awaited === 0 && next.dueMs > untilMs) return undefined;
      this.#pop();
      if (next.isCancelled) continue;
      next.isCancelled = true; // has fired: to cancel it changes nothing
      return next;
    }
  }

  #push(timer: Pending): void {
    const heap = this.#heap;
    let index = heap.push(timer) - 1;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || !isEarlier(timer, parent)) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = timer;
  }

  #pop(): Pending | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      const childIndex = earlierChild(heap, index);
      const child = heap[childIndex];
      if (child === undefined || !isEarlier(child, last)) break;
      heap[index] = child;
      index = childIndex;
    }
    heap[index] = last;
    return first;
  }
}

/** The clock of one life of the gateway: it stops when that life does. */
export class LifeClock implements Clock {
  readonly #time: Clock;
  readonly #timers = new Set<Timer>();
  #isDead = false;

  constructor(time: Clock) {
    this.#time = time;
  }

  /** Timers that run. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#time.now();
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    if (this.#isDead) return { cancel: () => {} };
    const inner = this.#time.setTimer(delayMs, () => {
      this.#timers.delete(timer);
      callback();
    });
    const timer: Timer = {
      cancel: () => {
        this.#timers.delete(timer);
        inner.cancel();
      },
    };
    this.#timers.add(timer);
    return timer;
  }

  /** Nothing that waits for this clock ever happens. */
  kill(): void {
    this.#isDead = true;
    for (const timer of [...this.#timers]) timer.cancel();
  }
}

function isEarlier(a: Pending, b: Pending): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}

function earlierChild(heap: readonly Pending[], index: number): number {
  const left = 2 * index + 1;
  const [a, b] = [heap[left], heap[left + 1]];
  return a !== undefined && b !== undefined && isEarlier(b, a) ? left + 1 : left;
}
