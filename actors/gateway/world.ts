/**
 * What a gateway takes from outside that tests replace.
 * @module
 */

import type { Clock } from "../kernel/clock.ts";
import type { NewId, Random } from "../kernel/random.ts";
import type { Scheduler } from "../kernel/scheduler.ts";

/** Time, chance, ids and the event loop. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly scheduler: Scheduler;
  /** Calls back at the event loop's next turn. */
  readonly defer: (callback: () => void) => void;
}
