/**
 * This machine's time, chance and event loop.
 * @module
 */

import { nextTurn } from "../../kernel/adapters/event_loop.ts";
import { systemClock, systemNewId, systemRandom } from "../../kernel/adapters/system_clock.ts";
import { FairScheduler } from "../../kernel/scheduler.ts";
import type { World } from "../world.ts";

/** A world of its own for each gateway. */
export function systemWorld(): World {
  return {
    clock: systemClock,
    random: systemRandom,
    newId: systemNewId,
    scheduler: new FairScheduler(nextTurn),
    defer: nextTurn,
  };
}
