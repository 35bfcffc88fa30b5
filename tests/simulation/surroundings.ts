/**
 * What all parts of a world share.
 * @module
 */

import type { NewId } from "../../actors/kernel/random.ts";
import type { Chance } from "./chance.ts";
import type { SimulatedDisk } from "./disk.ts";
import type { EventLog } from "./event_log.ts";
import type { Faults } from "./faults.ts";
import type { SimulatedJobs } from "./jobs.ts";
import type { JournalWatch } from "./journal_watch.ts";
import type { SimulatedMemory } from "./memory.ts";
import type { WorldPlan } from "./plan.ts";
import type { SimulatedPlatform } from "./platform.ts";
import type { WorldRecord } from "./record.ts";
import type { Sabotage } from "./sabotage.ts";
import type { SimulatedTime } from "./time.ts";

/** Everything that outlives the gateway's process. */
export interface Surroundings {
  readonly plan: WorldPlan;
  /** Epoch milliseconds. */
  readonly startMs: number;
  readonly time: SimulatedTime;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly log: EventLog;
  readonly disk: SimulatedDisk;
  readonly memory: SimulatedMemory;
  readonly jobs: SimulatedJobs;
  readonly watch: JournalWatch;
  readonly platforms: ReadonlyMap<string, SimulatedPlatform>;
  readonly record: WorldRecord;
  readonly sabotage: Sabotage;
  /** Unique over all lives. */
  readonly newId: NewId;
}
