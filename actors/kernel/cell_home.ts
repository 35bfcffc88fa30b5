/**
 * What the actors of one system share.
 * @module
 */

import type { Clock } from "./clock.ts";
import type { DeadLetterReason, KernelEvent } from "./events.ts";
import type { NewId, Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** The system as its actors see it. */
export interface CellHome {
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly scheduler: Scheduler;
  deadLetter(actor: string, reason: DeadLetterReason, message: unknown, error?: Error): void;
  emit(event: KernelEvent): void;
}
