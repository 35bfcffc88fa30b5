/**
 * Keeps the jobs: their file, their changes and their runs. One piece of work at a time.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { asError } from "../kernel/errors.ts";
import type {
  CronAnswer,
  CronReport,
  JobChange,
  JobDraft,
  JobList,
  Requester,
} from "./cron_protocol.ts";
import { accountForRuns, obstacle, type RunScene, withRunNow } from "./cron_runs.ts";
import type { Job } from "./job.ts";
import {
  addJob,
  changeJob,
  type Edit,
  type EditScene,
  findFor,
  mayTouch,
  removeJob,
} from "./job_edits.ts";
import { isOwnJob, scheduleProblem } from "./job_book.ts";
import { JobFile, type JobFileOptions } from "./job_file.ts";
import type { RunPort } from "./ports.ts";
import { loadSchedules, type Schedules } from "./schedule.ts";

const logger = getLogger(["troupe", "automation", "cron_keeper"]);

/** The file is looked at, and the clock: a computer that slept is noticed within this. */
const LOOK_MS = 15_000;
/** Whether a run has ended is looked for this often. */
const RUN_LOOK_MS = 2_000;
/** After something failed. */
const RETRY_MS = 5_000;
/** A timer may fire a moment early. */
const WAIT_MIN_MS = 5;

/** What jobs are kept with. */
export interface CronKeeperOptions extends Omit<JobFileOptions, "inform"> {
  readonly now: () => number;
  readonly newId: () => string;
  /** How due jobs run; null where none may, as in a process that does one errand. */
  readonly runs: RunPort | null;
  /** Tells the owners what a person should look at. */
  readonly inform: (text: string) => void;
}

/** Used by one at a time. */
export class CronKeeper {
  readonly #options: CronKeeperOptions;
  readonly #file: JobFile;
  #schedules: Schedules | undefined;
  #trouble: string | null = null;
  #told = new Set<string>();
  #lookedAtMs = -Infinity;

  constructor(options: CronKeeperOptions) {
    this.#options = options;
    this.#file = new JobFile(options);
  }

  /** How long until something is to be looked at. */
  get waitMs(): number {
    if (this.#trouble !== null) return RETRY_MS;
    if (this.#file.isWaiting) return RUN_LOOK_MS;
    if (this.#options.runs === null) return LOOK_MS;
    const { nextDueMs, jobs } = this.#file.book;
    const isRunning = jobs.some(({ state }) => state.underWay !== null);
    const lookMs = isRunning ? RUN_LOOK_MS : LOOK_MS;
    // What a look left undone is left to the next one.
    if (nextDueMs === null || nextDueMs <= this.#lookedAtMs) return lookMs;
    return Math.max(WAIT_MIN_MS, Math.min(lookMs, nextDueMs - this.#options.now()));
  }

  get report(): CronReport {
    const { jobs, nextDueMs } = this.#file.book;
    const own = jobs.filter(isOwnJob);
    return {
      jobs: own.length,
      enabled: own.filter(({ enabled }) => enabled).length,
      underWay: own.filter(({ state }) => state.underWay !== null).length,
      nextDueMs,
      trouble: this.#trouble,
    };
  }

  /** Looks at the file and the clock, and does what is due; what fails is tried again. */
  async look(): Promise<void> {
    const { runs, now } = this.#options;
    const schedules = await this.#load();
    try {
      const nowMs = now();
      if (!await this.#file.sync({ nowMs, mayWait: true })) return;
      if (runs === null) return;
      this.#lookedAtMs = nowMs;
      const scene = this.#runScene(runs, schedules, nowMs);
      this.#tellBadSchedules(schedules);
      try {
        await accountForRuns(this.#file, scene);
      } finally {
        // What has begun has begun, also where the next one could not.
        await this.#file.save(nowMs);
      }
      this.#trouble = null;
    } catch (thrown) {
      this.#trouble = asError(thrown).message;
      throw thrown;
    }
  }

  add(draft: JobDraft, by: Requester): Promise<CronAnswer> {
    return this.#edit(by, (book, scene) => addJob(book, draft, scene));
  }

  change(id: string, change: JobChange, by: Requester): Promise<CronAnswer> {
    return this.#edit(by, (book, scene) => changeJob(book, id, change, scene));
  }

  remove(id: string, by: Requester): Promise<CronAnswer> {
    return this.#edit(by, (book, scene) => removeJob(book, id, scene));
  }

  /**
   * Begins a run now. Once it is written down it will be: where the journal cannot take it in, a
   * later look brings it there.
   *
   * @throws {JobFileError} {Error} when it is not written down
   */
  async run(id: string, isForced: boolean, by: Requester): Promise<CronAnswer> {
    const { runs: port } = this.#options;
    if (port === null) {
      return refused("unusable", `Cannot run job "${id}": no gateway runs; start it first`);
    }
    await this.#lookAtRuns();
    const answer = await this.#edit(by, (book, { nowMs }) => {
      const found = findFor(book, id, by, "run");
      if (found.state === "refused") return { book, answer: found };
      const { job } = found;
      const why = notNow(job, isForced) ?? obstacle(job, { port });
      if (why !== null) {
        return { book, answer: refused("unusable", `Cannot run job "${job.id}": ${why}`) };
      }
      const running = withRunNow(job, nowMs);
      return { book: book.with(running), answer: { state: "done", job: running, nextMs: [] } };
    });
    if (answer.state === "done") await this.#lookAtRuns();
    return answer;
  }

  async list(by: Requester): Promise<JobList> {
    const schedules = await this.#load();
    await this.#lookAtRuns();
    const nowMs = this.#options.now();
    await this.#file.sync({ nowMs, mayWait: false });
    const book = this.#file.book.armed(nowMs, schedules);
    const jobs = book.jobs.filter((job) => !isOwnJob(job) || mayTouch(job, by));
    const problems = by.isOwner
      ? book.broken.map(({ id, problem }) => `Job "${id}" cannot be used: ${problem}`)
      : [];
    return { jobs: jobs.toSorted(byNextRun), problems };
  }

  /** A run may have ended since the last look, or be only written down. */
  async #lookAtRuns(): Promise<void> {
    const isRunning = this.#file.book.jobs.some(({ state }) => state.underWay !== null);
    if (!isRunning) return;
    try {
      await this.look();
    } catch (error) {
      logger.debug("Answers from what was known: {reason}", { reason: asError(error).message });
    }
  }

  async #edit(
    by: Requester,
    edit: (book: JobFile["book"], scene: EditScene) => Edit,
  ): Promise<CronAnswer> {
    const { now, newId, timezone } = this.#options;
    const schedules = await this.#load();
    const nowMs = now();
    const scene = { schedules, nowMs, timezone, newId, by };
    return await this.#file.change(nowMs, (book) => edit(book, scene));
  }

  async #load(): Promise<Schedules> {
    return this.#schedules ??= await loadSchedules();
  }

  #runScene(port: RunPort, schedules: Schedules, nowMs: number): RunScene {
    const { timezone, inform } = this.#options;
    return { port, schedules, nowMs, timezone, inform };
  }

  /** A person's slip of the pen in the file. */
  #tellBadSchedules(schedules: Schedules): void {
    for (const job of this.#file.book.jobs) {
      if (!job.enabled || !isOwnJob(job)) continue;
      const problem = job.schedule.kind === "cron" ? scheduleProblem(job, schedules) : null;
      const key = `${job.id} ${problem}`;
      if (problem === null || this.#told.has(key)) continue;
      this.#told.add(key);
      this.#options.inform(`Job "${job.name}" (${job.id}) is never due: ${problem}.`);
    }
  }
}

function notNow({ state, enabled }: Job, isForced: boolean): string | null {
  if (state.underWay !== null) return "a run of it is under way";
  return enabled || isForced ? null : "it is paused; enable it, or force it";
}

function byNextRun(a: Job, b: Job): number {
  const [left, right] = [a.state.nextRunAtMs ?? Infinity, b.state.nextRunAtMs ?? Infinity];
  return left === right ? 0 : left - right;
}

function refused(
  why: Extract<CronAnswer, { state: "refused" }>["why"],
  reason: string,
): CronAnswer {
  return { state: "refused", why, reason };
}
