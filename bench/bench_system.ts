/**
 * The system that benchmarks run on: the real clock, chance and event loop.
 * @module
 */

import { nextTurn } from "../actors/kernel/adapters/event_loop.ts";
import { systemClock, systemNewId, systemRandom } from "../actors/kernel/adapters/system_clock.ts";
import { FairScheduler } from "../actors/kernel/scheduler.ts";
import { ActorSystem } from "../actors/kernel/system.ts";

/** Makes a system without observers. */
export function benchSystem(): ActorSystem {
  return new ActorSystem({
    clock: systemClock,
    random: systemRandom,
    newId: systemNewId,
    scheduler: new FairScheduler(nextTurn),
  });
}
