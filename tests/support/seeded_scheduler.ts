/**
 * A scheduler whose choices come from a seed: which actor runs next, for how many messages, and
 * which one has to wait. The same seed makes the same choices.
 * @module
 */

import { setImmediate } from "node:timers";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { Random } from "../../actors/kernel/random.ts";
import type { Runnable, Scheduler } from "../../actors/kernel/scheduler.ts";

/** Steps after which timers and I/O get their turn, should actors never come to rest. */
const STEPS_PER_TURN = 10_000;
const MESSAGES_PER_STEP_MAX = 4;

/** How a seeded scheduler treats those it runs. */
export interface SeededSchedulerOptions {
  readonly random: Random;
  /** Needed for delays. */
  readonly clock?: Clock;
  /** How often a runnable waits before it may run, 0 to 1. @default 0 */
  readonly delayShare?: number;
  /** Longest such wait. @default 50 */
  readonly delayMsMax?: number;
}

/** Runs what is scheduled in an order that chance picks. */
export class SeededScheduler implements Scheduler {
  readonly #random: Random;
  readonly #clock: Clock | undefined;
  readonly #delayShare: number;
  readonly #delayMsMax: number;
  readonly #runnables: Runnable[] = [];
  #isPumping = false;
  #isHeld = false;
  #steps = 0;
  #delayed = 0;
  readonly #pump = (): void => this.#step();

  constructor({ random, clock, delayShare = 0, delayMsMax = 50 }: SeededSchedulerOptions) {
    this.#random = random;
    this.#clock = clock;
    this.#delayShare = delayShare;
    this.#delayMsMax = delayMsMax;
  }

  /** Runnables that wait for the clock; each has one timer on it. */
  get delayed(): number {
    return this.#delayed;
  }

  schedule(runnable: Runnable): void {
    if (this.#clock !== undefined && this.#random.next() < this.#delayShare) {
      const delayMs = Math.floor(this.#random.next() * this.#delayMsMax);
      this.#delayed++;
      this.#clock.setTimer(delayMs, () => {
        this.#delayed--;
        this.#add(runnable);
      });
      return;
    }
    this.#add(runnable);
  }

  /** Runs nothing until `release`, so that messages pile up. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Ends a hold. */
  release(): void {
    this.#isHeld = false;
    this.#pumpSoon();
  }

  #add(runnable: Runnable): void {
    this.#runnables.push(runnable);
    this.#pumpSoon();
  }

  #pumpSoon(): void {
    if (this.#isPumping || this.#isHeld || this.#runnables.length === 0) return;
    this.#isPumping = true;
    if (++this.#steps % STEPS_PER_TURN === 0) setImmediate(this.#pump);
    else queueMicrotask(this.#pump);
  }

  /** Runs one of those that wait; promises settle between two steps. */
  #step(): void {
    this.#isPumping = false;
    if (this.#isHeld) return;
    const [runnable] = this.#runnables.splice(this.#below(this.#runnables.length), 1);
    if (runnable?.run(1 + this.#below(MESSAGES_PER_STEP_MAX))) this.schedule(runnable);
    this.#pumpSoon();
  }

  #below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }
}
