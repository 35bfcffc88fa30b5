/**
 * An actor system for tests: simulated time, seeded chance, numbered ids.
 * @module
 */

import { nextTurn } from "../../actors/kernel/adapters/event_loop.ts";
import type { DeadLetter, KernelEvent } from "../../actors/kernel/events.ts";
import { seededRandom } from "../../actors/kernel/random.ts";
import { FairScheduler, type Scheduler } from "../../actors/kernel/scheduler.ts";
import { ActorSystem } from "../../actors/kernel/system.ts";
import { ManualClock } from "./manual_clock.ts";
import { settle } from "./until.ts";

/** What a test may choose; everything has a default. */
export interface TestSystemOptions {
  /** @default a new ManualClock */
  readonly clock?: ManualClock;
  /** @default 1 */
  readonly seed?: number;
  /** @default a FairScheduler on the real event loop */
  readonly scheduler?: Scheduler;
}

/** A system with all that it reports; stops all actors when disposed. */
export interface TestSystem extends AsyncDisposable {
  readonly system: ActorSystem;
  readonly clock: ManualClock;
  readonly deadLetters: readonly DeadLetter[];
  readonly events: readonly KernelEvent[];
}

/** Makes a system; hold it with `await using`. */
export function testSystem({
  clock = new ManualClock(),
  seed = 1,
  scheduler = new FairScheduler(nextTurn),
}: TestSystemOptions = {}): TestSystem {
  const deadLetters: DeadLetter[] = [];
  const events: KernelEvent[] = [];
  let ids = 0;
  const system = new ActorSystem({
    clock,
    random: seededRandom(seed),
    newId: () => `id-${++ids}`,
    scheduler,
    onDeadLetter: (letter) => void deadLetters.push(letter),
    onEvent: (event) => void events.push(event),
  });
  return {
    system,
    clock,
    deadLetters,
    events,
    [Symbol.asyncDispose]: () => disposeInTime(system, clock),
  };
}

/** Stops all actors, and moves time for those that need some to end. */
async function disposeInTime(system: ActorSystem, clock: ManualClock): Promise<void> {
  let isDisposed = false;
  const disposing = system[Symbol.asyncDispose]().then(() => isDisposed = true);
  await settle();
  while (!isDisposed && clock.nextDueMs !== undefined) {
    await clock.advance(clock.nextDueMs - clock.now());
  }
  await disposing;
}
