/**
 * What is remembered of a run beside the journal, the disk and the platforms.
 * @module
 */

import type { DeadLetter, KernelEvent } from "../../actors/kernel/events.ts";
import { type JournalRows, NO_ROWS } from "../../actors/journal/memory_store.ts";
import type { ReplayReport } from "../../actors/session/replay/replay_session.ts";
import type { LifeReport } from "./life.ts";
import type { RunEnd } from "./time.ts";

/** Kept over all lives of the gateway, for the laws to look at. */
export interface WorldRecord {
  lives: number;
  /** When something failed that slows the gateway down. Epoch milliseconds. */
  readonly disturbances: { readonly fromMs: number; readonly untilMs: number }[];
  readonly deadLetters: DeadLetter[];
  readonly restarts: Extract<KernelEvent, { type: "actor_restarted" }>[];
  /** Sentences about what must not be, noticed while it happened. */
  readonly breaches: string[];
  /** How often each effect of a tool happened. */
  readonly effects: Map<string, number>;
  /** Timers that lives left behind which were stopped in good order. */
  timersAfterStop: number;
  /** What the journal holds in the end. */
  rows: JournalRows;
  end: RunEnd;
  /** Of the last life, when all was at rest; undefined when it did not answer. */
  report: LifeReport | undefined;
  /** The last life was stopped in good order. */
  hasStopped: boolean;
  /** What came of running each session once more, by its key; nothing before the end. */
  replays: ReadonlyMap<string, ReplayReport>;
}

/** Nothing happened yet, but it is known what will. */
export function newRecord(disturbances: WorldRecord["disturbances"]): WorldRecord {
  return {
    lives: 0,
    disturbances,
    deadLetters: [],
    restarts: [],
    breaches: [],
    effects: new Map(),
    timersAfterStop: 0,
    rows: NO_ROWS,
    end: "never_at_rest",
    report: undefined,
    hasStopped: false,
    replays: new Map(),
  };
}
