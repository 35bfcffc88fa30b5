/**
 * What only some actors need, apart so that an idle one stays small.
 * @module
 */

import type { StopOptions, StopReason } from "./actor.ts";
import type { Timer } from "./clock.ts";
import type { OpenAsks } from "./open_asks.ts";
import type { RestartPolicy } from "./supervision.ts";

/** An actor as people look at it. */
export interface ActorGlance {
  /** Its path. */
  readonly name: string;
  readonly state: "running" | "suspended" | "draining" | "stopping" | "stopped";
  /** Messages that wait. */
  readonly waiting: number;
  readonly restarts: number;
}

/** An actor as its parent sees it. */
export interface CellChild {
  /** Itself and all below it. */
  glances(): Iterable<ActorGlance>;
  stop(options: StopOptions): Promise<void>;
}

/** What an actor belongs to: another actor, or the system. */
export interface CellParent {
  /** Its path; "" for the system. */
  readonly name: string;
  /** By the last part of their paths, oldest first. */
  readonly children: Map<string, CellChild>;
  /** A child's failure became its own. */
  fail(error: Error): void;
}

/** The parts of a cell that are made at first use. */
export interface CellExtras {
  children: Map<string, CellChild> | undefined;
  watchers: Set<(reason: StopReason) => void> | undefined;
  asks: OpenAsks | undefined;
  policy: RestartPolicy | undefined;
  restarts: number;
  restartTimer: Timer | undefined;
  /** The ending of an incarnation that is under way. */
  ending: Promise<void> | undefined;
  stopping: PromiseWithResolvers<void> | undefined;
  /** Why the actor has stopped, once it has. */
  ended: StopReason | undefined;
}

/** Extras of a cell that has used none so far. */
export function newExtras(): CellExtras {
  return {
    children: undefined,
    watchers: undefined,
    asks: undefined,
    policy: undefined,
    restarts: 0,
    restartTimer: undefined,
    ending: undefined,
    stopping: undefined,
    ended: undefined,
  };
}
