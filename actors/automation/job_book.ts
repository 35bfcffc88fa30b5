/**
 * All jobs, as one value: read from the file, changed, and written again. What cannot be read of
 * the file stays in it, word for word.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import { type Job, type JobState, readJob, writeJob } from "./job.ts";
import { type DuePlan, planDue } from "./due_runs.ts";
import { scheduleKey, type Schedules } from "./schedule.ts";

/** Jobs that a book holds: an assistant that makes more has lost its way. */
export const JOBS_MAX = 200;

/** A clock that is set back by more than this was wrong before; by less, it is wrong by little. */
const CLOCK_WAS_WRONG_MS = 86_400_000;

/** An entry that is kept although it is no job. */
export interface BrokenEntry {
  readonly id: string;
  readonly problem: string;
  readonly raw: JsonObject;
}

/** A file that was read. */
export type ReadBook =
  | { readonly state: "ok"; readonly book: JobBook }
  | { readonly state: "corrupt"; readonly reason: string };

/** Jobs in the order of their making. A value: each change makes another one. */
export class JobBook {
  readonly jobs: readonly Job[];
  readonly broken: readonly BrokenEntry[];
  readonly #rest: JsonObject;
  #text: string | undefined;

  /** The book that holds nothing. */
  static readonly empty: JobBook = new JobBook([], [], { version: 1 });

  private constructor(
    jobs: readonly Job[],
    broken: readonly BrokenEntry[],
    rest: JsonObject,
  ) {
    this.jobs = jobs;
    this.broken = broken;
    this.#rest = rest;
  }

  /** @param timezone of cron expressions that name none */
  static read(text: string, timezone: string): ReadBook {
    const value = jsonOf(text);
    const { jobs: entries = [], ...rest } = isObject(value) ? value : { jobs: null };
    if (!isList(entries) || !entries.every(isObject)) {
      const reason = value === undefined ? "it is no JSON" : "it holds no list of jobs";
      return { state: "corrupt", reason };
    }
    const jobs = new Map<string, Job>();
    const broken: BrokenEntry[] = [];
    for (const raw of entries) {
      const read = readJob(raw, timezone);
      if (read.state === "broken") broken.push({ id: read.id, problem: read.problem, raw });
      else if (jobs.has(read.job.id)) {
        broken.push({ id: read.job.id, problem: "another job has the same id", raw });
      } else jobs.set(read.job.id, read.job);
    }
    return { state: "ok", book: new JobBook([...jobs.values()], broken, rest) };
  }

  /** The file's text. */
  get text(): string {
    return this.#text ??= this.#write();
  }

  #write(): string {
    const jobs = [...this.jobs.map(writeJob), ...this.broken.map(({ raw }) => raw)];
    return `${JSON.stringify({ ...this.#rest, jobs }, null, 2)}\n`;
  }

  /** The job of an id, or of an unmistakable beginning of one. */
  find(id: string): Job | undefined {
    const exact = this.jobs.find((job) => job.id === id);
    if (exact !== undefined || id === "") return exact;
    const found = this.jobs.filter((job) => job.id.startsWith(id));
    return found.length === 1 ? found[0] : undefined;
  }

  with(job: Job): JobBook {
    const isKnown = this.jobs.some(({ id }) => id === job.id);
    const jobs = isKnown
      ? this.jobs.map((known) => known.id === job.id ? job : known)
      : [...this.jobs, job];
    return new JobBook(jobs, this.broken, this.#rest);
  }

  without(id: string): JobBook {
    return new JobBook(this.jobs.filter((job) => job.id !== id), this.broken, this.#rest);
  }

  /**
   * This book, which a person wrote, with what the gateway knows of its jobs: an editor may have
   * had the file open since before the last run.
   */
  knowing(known: JobBook): JobBook {
    const states = new Map(known.jobs.map(({ id, state }) => [id, state]));
    const jobs = this.jobs.map((job) => ({ ...job, state: states.get(job.id) ?? job.state }));
    return new JobBook(jobs, this.broken, this.#rest);
  }

  /** The book with the next due time of each job that needs one; itself where none does. */
  armed(nowMs: number, schedules: Schedules): JobBook {
    const jobs = this.jobs.map((known) => {
      const job = withClockBack(known, nowMs);
      const state = armedState(job, nowMs, schedules);
      return state === job.state ? job : { ...job, state };
    });
    if (jobs.every((job, index) => job === this.jobs[index])) return this;
    return new JobBook(jobs, this.broken, this.#rest);
  }

  /** When the next job is due that does not run already; null when none is. */
  get nextDueMs(): number | null {
    const due = this.jobs.flatMap(({ state: { nextRunAtMs, underWay } }) =>
      underWay === null ? nextRunAtMs ?? [] : []
    );
    return due.length === 0 ? null : Math.min(...due);
  }
}

/** What is wrong with the schedule of a job, as half a sentence; null when nothing is. */
export function scheduleProblem({ schedule }: Job, schedules: Schedules): string | null {
  const read = schedules.read(schedule, 0);
  return read.state === "refused" ? read.reason : null;
}

/** Whether a job is run by the clock at all. */
export function isOwnJob({ payload }: Job): boolean {
  return payload.kind === "agent_turn";
}

/** A clock that was far ahead when the job last ran or was changed would have it wait for years. */
function withClockBack(job: Job, nowMs: number): Job {
  const { schedule, state, updatedAtMs } = job;
  const aheadMs = Math.max(state.lastRunAtMs ?? 0, updatedAtMs) - nowMs;
  if (schedule.kind === "at" || aheadMs <= CLOCK_WAS_WRONG_MS) return job;
  const lastRunAtMs = state.lastRunAtMs === null ? null : Math.min(state.lastRunAtMs, nowMs);
  return {
    ...job,
    updatedAtMs: Math.min(updatedAtMs, nowMs),
    state: { ...state, lastRunAtMs, nextRunAtMs: null },
  };
}

/** When it is next due, as far as that has to be found anew. */
function armedState(job: Job, nowMs: number, schedules: Schedules): JobState {
  const { schedule, enabled, state } = job;
  const key = scheduleKey(schedule);
  if (!enabled || !isOwnJob(job)) {
    return state.nextRunAtMs === null ? state : { ...state, nextRunAtMs: null };
  }
  const isKnown = state.scheduleKey === null || state.scheduleKey === key;
  const isArmed = state.nextRunAtMs !== null && isKnown;
  if (isArmed && state.scheduleKey === key) return state;
  const read = schedules.read(schedule, nowMs);
  if (isArmed && read.state === "ok") return { ...state, scheduleKey: key };
  if (read.state === "refused") {
    return { ...state, nextRunAtMs: null, scheduleKey: key, ...problemOf(read.reason) };
  }
  const nextRunAtMs = schedule.kind === "at"
    ? unspentTime(job, schedule.atMs, isKnown)
    : read.times.nextAfter(nowMs);
  if (nextRunAtMs === state.nextRunAtMs && state.scheduleKey === key) return state;
  return { ...state, nextRunAtMs, scheduleKey: key };
}

/** A time that has come is due once. */
function unspentTime({ state }: Job, atMs: number, isKnown: boolean): number | null {
  const isSpent = isKnown && state.underWay === null &&
    (state.lastRunAtMs ?? -Infinity) >= atMs;
  return isSpent || (isKnown && state.underWay?.dueMs === atMs) ? null : atMs;
}

function problemOf(reason: string): Pick<JobState, "lastStatus" | "lastError"> {
  return { lastStatus: "error", lastError: `Cannot say when it is due: ${reason}` };
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What falls due now of a job; null when nothing does. */
export function dueNow(job: Job, nowMs: number, schedules: Schedules): DuePlan | null {
  const { nextRunAtMs, underWay } = job.state;
  if (underWay !== null || nextRunAtMs === null || nextRunAtMs > nowMs) return null;
  const read = schedules.read(job.schedule, nextRunAtMs);
  if (read.state === "refused") return null;
  const { missedRuns: policy } = job;
  return planDue({ times: read.times, nextMs: nextRunAtMs, nowMs, policy });
}
