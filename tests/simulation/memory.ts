/**
 * The memory to which conversations go that end: it takes its time, fails, and answers in a way
 * that leaves open whether it kept something.
 * @module
 */

import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { NewHistoryEntry } from "../../actors/memory/protocol.ts";
import { MemoryScope } from "../../actors/memory/scope.ts";
import type { ArchivePort } from "../../actors/session/ports.ts";
import type { Chance } from "./chance.ts";
import type { EventLog } from "./event_log.ts";
import type { Faults } from "./faults.ts";

const FAILURE_SHARE = 0.1;

/** What a memory takes from its world. */
export interface MemoryOptions {
  readonly chance: Chance;
  readonly faults: Faults;
  readonly log: EventLog;
}

/** Outlives the gateway. */
export class SimulatedMemory {
  /** By their keys. */
  readonly kept: Map<string, NewHistoryEntry> = new Map();
  readonly #options: MemoryOptions;

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /** The memory as one life of the gateway sees it. */
  mount(clock: Clock): ArchivePort {
    const { chance, faults, log } = this.#options;
    return {
      scopeOf: () => MemoryScope.global,
      scopeOfSession: () => MemoryScope.global,
      append: async (_scope, entry) => {
        await sleep(clock, chance.between(0, 50));
        if (faults.happens(FAILURE_SHARE)) throw new Error("Cannot keep an entry: it is busy");
        const cursor = [...this.kept.keys()].indexOf(entry.key) + 1;
        if (cursor === 0) this.kept.set(entry.key, entry);
        log.add("memory", `${entry.key} ${cursor === 0 ? "kept" : "was known"}`);
        if (faults.happens(FAILURE_SHARE)) throw new Error("Cannot tell whether an entry was kept");
        if (cursor > 0) return { state: "repeated", cursor };
        const { content } = entry;
        const kept = { cursor: this.kept.size, timestamp: "2026-01-02 03:04", content };
        return { state: "appended", entry: kept };
      },
    };
  }
}
