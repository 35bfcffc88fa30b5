/**
 * The memory to which conversations go that end or grow long: the gateway's own, over a disk that
 * takes its time and fails, with people who edit its files and a model that puts them in order.
 * @module
 */

import type { ActorDefinition } from "../../actors/kernel/actor.ts";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { ActorRef } from "../../actors/kernel/ref.ts";
import { parseEntry, readCursor } from "../../actors/memory/history_file.ts";
import {
  type DreamGateMessage,
  memoryActor,
  type MemoryActorMessage,
} from "../../actors/memory/memory_actor.ts";
import { MemoryKeeper } from "../../actors/memory/memory_keeper.ts";
import type { DreamOutcome, HistoryEntry } from "../../actors/memory/protocol.ts";
import { MemoryScope } from "../../actors/memory/scope.ts";
import type { Journal } from "../../actors/journal/journal.ts";
import type { ArchivePort } from "../../actors/session/ports.ts";
import { NO_SKILLS } from "../support/no_skills.ts";
import type { Chance } from "./chance.ts";
import { DreamingModel } from "./dreams.ts";
import type { EventLog } from "./event_log.ts";
import type { Faults } from "./faults.ts";
import { SimulatedMemoryDisk } from "./memory_disk.ts";

const { global } = MemoryScope;
const FACTS_PATH = global.pathOf("MEMORY");
const ANSWER_MS = 60_000;
const DREAM_MS = 3_600_000;

/** What a memory takes from its world. */
export interface MemoryOptions {
  readonly chance: Chance;
  readonly faults: Faults;
  readonly log: EventLog;
}

/** What it takes from a life of the gateway. */
export interface MemoryLife {
  readonly clock: Clock;
  /** For what the disk does: that may go on while the gateway stops. */
  readonly diskClock: Clock;
  readonly journal: Journal;
  readonly spawn: (
    definition: ActorDefinition<MemoryActorMessage>,
  ) => ActorRef<MemoryActorMessage>;
  readonly gate: () => ActorRef<DreamGateMessage>;
}

/** The memory as one life of the gateway has it. */
export interface MountedMemory {
  readonly archive: ArchivePort;
  /** Lets Dream run; how that ends shows in the files. */
  readonly dream: () => void;
}

/** Its files outlive the gateway. */
export class SimulatedMemory {
  readonly #options: MemoryOptions;
  readonly disk: SimulatedMemoryDisk;
  readonly #model: DreamingModel;
  /** Lines that people wrote into the facts. */
  readonly handLines: string[] = [];
  /** Names of stretches that somebody had kept besides. */
  readonly stretches: string[] = [];

  constructor(options: MemoryOptions) {
    this.#options = options;
    const { chance, faults } = options;
    this.disk = new SimulatedMemoryDisk(
      { ...options, chance: chance.fork("disk") },
      { [FACTS_PATH]: "# Memory\n\nThis line stays.\n" },
    );
    this.#model = new DreamingModel({ chance: chance.fork("dreams"), faults });
  }

  /** The memory's actor in one life of the gateway. */
  mount({ clock, diskClock, journal, spawn, gate }: MemoryLife): MountedMemory {
    const files = this.disk.mount(diskClock);
    const ref = spawn(memoryActor({
      keeper: new MemoryKeeper({ files, clock, timezone: "UTC" }),
      journal,
      dream: {
        model: this.#model.mount(clock),
        settings: { batchMax: 3, iterationsMax: 5, annotatesLineAges: false, timezone: "UTC" },
        mark: (text) => text,
        skills: NO_SKILLS,
        schedule: undefined,
        gate,
        alarm: () => {},
      },
    }));
    return {
      archive: {
        scopeOf: () => global,
        scopeOfSession: () => global,
        append: (scope, entry) =>
          ref.ask((replyTo) => ({ type: "append_history", scope, entry, replyTo }), {
            timeoutMs: ANSWER_MS,
          }),
      },
      dream: () => {
        ref.ask<DreamOutcome>((replyTo) => ({ type: "dream", reason: "due", replyTo }), {
          timeoutMs: DREAM_MS,
        }).then(
          ({ state }) => this.#options.log.add("memory", `Dream ended: ${state}`),
          () => {}, // the actor, or all of the gateway, was broken
        );
      },
    };
  }

  /** Whoever wrote is dead. */
  crash(): void {
    this.disk.crash();
  }

  /** Somebody adds a line to the facts, whatever is going on. */
  editByHand(): void {
    const line = `By hand ${this.handLines.length + 1}.`;
    this.handLines.push(line);
    this.disk.texts.set(FACTS_PATH, `${this.facts}${line}\n`);
    this.#options.log.add("memory", line);
  }

  /** What stands in MEMORY.md. */
  get facts(): string {
    return this.disk.texts.get(FACTS_PATH) ?? "";
  }

  /** What stands in the history, in its order. */
  get entries(): readonly HistoryEntry[] {
    const lines = (this.disk.texts.get(global.historyPath) ?? "").split("\n");
    return lines.flatMap((line) => parseEntry(line) ?? []);
  }

  /** The number of the last entry that Dream says it has digested. */
  get digested(): number {
    return readCursor(this.disk.texts.get(global.dreamCursorPath) ?? null);
  }
}
