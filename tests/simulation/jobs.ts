/**
 * Jobs of a simulated world: the gateway's own cron actor, over a file that takes its time, fails,
 * and is edited by a person.
 * @module
 */

import { cronActor, type CronActorMessage } from "../../actors/automation/cron.ts";
import { CronKeeper } from "../../actors/automation/cron_keeper.ts";
import type { MissedPolicy } from "../../actors/automation/due_runs.ts";
import type { Job, RunRecord } from "../../actors/automation/job.ts";
import { JobBook } from "../../actors/automation/job_book.ts";
import type { JobFiles, RunPort } from "../../actors/automation/ports.ts";
import type { ActorDefinition } from "../../actors/kernel/actor.ts";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { NewId } from "../../actors/kernel/random.ts";
import type { Chance } from "./chance.ts";
import type { EventLog } from "./event_log.ts";
import type { Faults } from "./faults.ts";

/** A job that somebody has planned before the world begins. */
export interface PlannedJob {
  readonly id: string;
  /** First due time, since the start. */
  readonly firstMs: number;
  /** Null: it is due once. */
  readonly everyMs: number | null;
  readonly missedRuns: MissedPolicy;
  /** Where its answers go; null: nowhere. */
  readonly chat: { readonly channel: string; readonly chatId: string } | null;
}

/** What jobs take from their world. */
export interface SimulatedJobsOptions {
  readonly plan: readonly PlannedJob[];
  readonly startMs: number;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly log: EventLog;
}

/** What they take from a life of the gateway. */
export interface JobsLife {
  readonly clock: Clock;
  readonly newId: NewId;
  readonly runs: RunPort;
}

/** The file outlives the gateway; a write that is under way when that dies has happened, or not. */
export class SimulatedJobs {
  /** All that ever stood in the file of each job's runs. */
  readonly records: Map<string, Map<string, RunRecord>> = new Map();
  /** Told when a write begins: a good moment to die. */
  onWrite: () => void = () => {};
  readonly #options: SimulatedJobsOptions;
  readonly #underWay = new Set<() => void>();
  #text: string;
  #copy: string | null = null;
  #version = 0;

  constructor(options: SimulatedJobsOptions) {
    this.#options = options;
    this.#text = fileOf(options);
  }

  /** As they stand in the file. */
  get jobs(): readonly Job[] {
    const read = JobBook.read(this.#text, "UTC");
    return read.state === "ok" ? read.book.jobs : [];
  }

  /** The actor that keeps them in one life. */
  actor({ clock, newId, runs }: JobsLife): ActorDefinition<CronActorMessage> {
    return cronActor(
      new CronKeeper({
        files: this.#mount(clock),
        timezone: "UTC",
        now: () => clock.now(),
        newId,
        runs,
        inform: (text) => this.#options.log.add("jobs", text),
      }),
    );
  }

  /** A person pauses all of them, in the file. */
  pauseByHand(): void {
    const file = JSON.parse(this.#text);
    for (const job of file.jobs) job.enabled = false;
    this.#put(JSON.stringify(file));
    this.#options.log.add("jobs", "are paused by hand");
  }

  /** Whoever wrote is dead. */
  crash(): void {
    for (const write of this.#underWay) if (this.#options.chance.happens(0.5)) write();
    this.#underWay.clear();
  }

  #mount(clock: Clock): JobFiles {
    const read = async <T>(what: () => T): Promise<T> => {
      await this.#act(clock);
      return what();
    };
    return {
      read: () => read(() => this.#text),
      mark: () => read(() => `${this.#version}`),
      readCopy: () => read(() => this.#copy),
      keepCopy: (text) => read(() => void (this.#copy = text)),
      setAside: () => Promise.reject(new Error("The file of jobs is never damaged here")),
      swap: async (expected, text) => {
        await this.#act(clock);
        if (this.#text !== expected) return false;
        await this.#write(clock, () => this.#text === expected && this.#put(text));
        return true;
      },
    };
  }

  async #act(clock: Clock): Promise<void> {
    const { chance, faults } = this.#options;
    await sleep(clock, chance.between(0, 3));
    if (faults.fails("disk") || faults.happens(0.03)) throw new Error("The disk of jobs fails");
  }

  async #write(clock: Clock, write: () => void): Promise<void> {
    this.#underWay.add(write);
    this.onWrite();
    await sleep(clock, this.#options.chance.between(0, 5));
    if (this.#underWay.delete(write)) write();
  }

  #put(text: string): void {
    this.#text = text;
    this.#version++;
    for (const { id, state } of this.jobs) {
      const known = this.records.get(id) ?? new Map<string, RunRecord>();
      this.records.set(id, known);
      for (const record of state.runHistory) {
        known.set(`${record.dueAtMs} ${record.outcome} ${record.runAtMs}`, record);
      }
    }
  }
}

function fileOf({ plan, startMs }: SimulatedJobsOptions): string {
  const jobs = plan.map(({ id, firstMs, everyMs, missedRuns, chat }) => ({
    id,
    name: id,
    schedule: everyMs === null
      ? { kind: "at", atMs: startMs + firstMs }
      : { kind: "every", everyMs },
    payload: {
      message: "Look after the plants.",
      deliver: chat !== null,
      channel: chat?.channel ?? null,
      to: chat?.chatId ?? null,
    },
    missedRuns,
    state: { nextRunAtMs: startMs + firstMs },
    createdAtMs: startMs,
    updatedAtMs: startMs,
    deleteAfterRun: everyMs === null,
  }));
  return JSON.stringify({ version: 1, jobs });
}
