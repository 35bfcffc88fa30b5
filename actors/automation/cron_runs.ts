/**
 * Runs: which begin now, how those that began have ended, and how each is accounted for. A run is
 * written down first and then taken in, as a message from inside whose id makes it happen once:
 * whatever dies in between, it is neither lost nor repeated, nor told of as something else.
 * @module
 */

import { cronInputId, type Inbound, type NewInbound, SYSTEM_CHANNEL } from "../journal/journal.ts";
import { LATE_MS, type PassedOver } from "./due_runs.ts";
import { type Job, type JobState, type RunRecord, type RunUnderWay, withRecord } from "./job.ts";
import { dueNow, type JobBook } from "./job_book.ts";
import { agoText, dueText } from "./job_text.ts";
import type { RunPort } from "./ports.ts";
import type { Schedules } from "./schedule.ts";

/** A single time that is later than this is of no use to anybody any more. */
const AT_LATE_MAX_MS = 7 * 86_400_000;

/** What runs need. */
export interface RunScene {
  readonly port: RunPort;
  readonly schedules: Schedules;
  readonly nowMs: number;
  /** The assistant's own zone. */
  readonly timezone: string;
  /** Tells the owners what a person should look at. */
  readonly inform: (text: string) => void;
}

/** Where the jobs stand while runs are accounted for. */
export interface RunBook {
  readonly book: JobBook;
  /** Keeps a changed book in memory. */
  remember(book: JobBook): void;
  /** Writes down what is remembered. @throws {Error} */
  save(nowMs: number): Promise<void>;
}

/** A run that the gateway is still to be given. */
interface RunToTake {
  readonly jobId: string;
  readonly inbound: NewInbound;
  /** It was begun at an earlier look, and the gateway knows nothing of it. */
  readonly isAgain: boolean;
}

/**
 * Accounts for what has ended and what has fallen due.
 *
 * @throws {JournalError} {Error} when a run cannot be written down or taken in just now; that is
 * tried again at the next look
 */
export async function accountForRuns(kept: RunBook, scene: RunScene): Promise<void> {
  const { nowMs, schedules } = scene;
  const toTake: RunToTake[] = [];
  kept.remember(kept.book.armed(nowMs, schedules));
  for (const job of kept.book.jobs) {
    const ended = await withEnd(job, scene);
    const { job: began, run } = ended.run === null ? withBegin(ended, scene) : ended;
    if (run !== null) toTake.push(run);
    if (began === job) continue;
    kept.remember(afterRun(began, job.state.underWay, kept.book));
  }
  kept.remember(kept.book.armed(nowMs, schedules));
  await kept.save(nowMs);
  for (const run of toTake) await takeIn(run, kept, scene);
}

async function takeIn({ jobId, inbound, isAgain }: RunToTake, kept: RunBook, scene: RunScene) {
  const { state } = await scene.port.accept(inbound);
  if (state === "accepted" || !isAgain) return;
  // It was taken in so long ago that nothing but its id is known any more.
  const job = kept.book.find(jobId);
  const underWay = job?.state.underWay ?? null;
  if (job === undefined || underWay === null) return;
  kept.remember(afterRun(endedJob(job, underWay, null), underWay, kept.book));
}

/** The job with a run beside its schedule: once that is written down, the next look takes it in. */
export function withRunNow(job: Job, nowMs: number): Job {
  return begun(job, { dueMs: nowMs, isLate: false, isManual: true }, nowMs);
}

/** Why a job cannot run, as half a sentence; null when it can. */
export function obstacle({ payload }: Job, { port }: Pick<RunScene, "port">): string | null {
  const { deliver, channel, to } = payload;
  if (!deliver || channel === null || to === null || port.hasChannel(channel)) return null;
  return `channel "${channel}", where its answer should go, is not on`;
}

/** A job after a step of its runs, and what the gateway is to be given for it. */
interface Accounted {
  readonly job: Job;
  readonly run: RunToTake | null;
}

/** The job with the end of the run that was under way, if it has come. */
async function withEnd(
  job: Job,
  scene: RunScene,
): Promise<Accounted & { readonly endedAtMs: number | null }> {
  const { underWay } = job.state;
  if (underWay === null) return { job, run: null, endedAtMs: null };
  const inbound = await scene.port.find(cronInputId(job.id, underWay.dueMs));
  if (inbound === null) {
    const isLate = underWay.isLate || scene.nowMs - underWay.dueMs > LATE_MS;
    const facts = { ...underWay, isLate, passedOver: null };
    const run = { jobId: job.id, inbound: inputOf(job, facts, scene), isAgain: true };
    const state = { ...job.state, underWay: { ...underWay, isLate } };
    return { job: isLate === underWay.isLate ? job : { ...job, state }, run, endedAtMs: null };
  }
  if (!hasEnded(inbound)) return { job, run: null, endedAtMs: null };
  const { endedAtMs } = inbound;
  return { job: endedJob(job, underWay, inbound), run: null, endedAtMs };
}

/** @param inbound null where nothing is known of it any more */
function endedJob(job: Job, underWay: RunUnderWay, inbound: Inbound | null): Job {
  const endedAtMs = inbound?.endedAtMs ?? underWay.startedAtMs;
  const error = inbound === null ? null : ENDS[inbound.state];
  const record: RunRecord = {
    runAtMs: underWay.startedAtMs,
    status: error === null ? "ok" : "error",
    durationMs: Math.max(0, endedAtMs - underWay.startedAtMs),
    error,
    outcome: underWay.isLate ? "late" : "ran",
    dueAtMs: underWay.isManual ? null : underWay.dueMs,
    count: 1,
  };
  return { ...job, state: { ...withRecord(job.state, record), underWay: null } };
}

const ENDS: Readonly<Record<Inbound["state"], string | null>> = {
  accepted: null,
  running: null,
  done: null,
  failed: "the turn failed",
  stopped: "it was stopped",
  parked: "the turn broke each time it was tried, and was put aside",
};

function hasEnded({ state }: Inbound): boolean {
  return state !== "accepted" && state !== "running";
}

/** The job with the run that begins now, if one does. */
function withBegin(
  { job, endedAtMs }: { readonly job: Job; readonly endedAtMs: number | null },
  scene: RunScene,
): Accounted {
  const { nowMs, schedules } = scene;
  const plan = dueNow(job, nowMs, schedules);
  if (plan === null) return { job, run: null };
  const { runMs, passedOver, nextMs } = plan;
  // What fell due while the run before it went on was not missed by the gateway.
  const wasBusy = endedAtMs !== null && passedOver !== null && passedOver.firstMs <= endedAtMs;
  const skipped = passedOver === null ? job.state : withRecord(
    job.state,
    passedRecord(passedOver, nowMs, wasBusy),
  );
  const next: Job = { ...job, state: { ...skipped, nextRunAtMs: nextMs } };
  if (runMs === null) {
    return { job: nextMs === null ? missedForGood(next, scene) : next, run: null };
  }
  const why = tooLate(job, runMs, nowMs) ?? obstacle(job, scene);
  if (why !== null) return { job: refused(next, runMs, why, scene), run: null };
  const isLate = nowMs - runMs > LATE_MS;
  const facts = { dueMs: runMs, isLate, isManual: false, passedOver };
  return {
    job: begun(next, { dueMs: runMs, isLate, isManual: false }, nowMs),
    run: { jobId: job.id, inbound: inputOf(job, facts, scene), isAgain: false },
  };
}

function begun(
  job: Job,
  run: Omit<NonNullable<JobState["underWay"]>, "startedAtMs">,
  nowMs: number,
): Job {
  const underWay = { ...run, startedAtMs: nowMs };
  return { ...job, state: { ...job.state, lastRunAtMs: nowMs, underWay } };
}

function passedRecord(
  { count, firstMs, isMore }: PassedOver,
  nowMs: number,
  wasBusy: boolean,
): RunRecord {
  const error = wasBusy
    ? "the run before it was still under way"
    : "the gateway did not run at that time";
  return {
    runAtMs: nowMs,
    status: "skipped",
    durationMs: 0,
    error: isMore ? `${error}; there were more than ${count}` : error,
    outcome: wasBusy ? "refused" : "missed",
    dueAtMs: firstMs,
    count,
  };
}

function tooLate({ schedule }: Job, runMs: number, nowMs: number): string | null {
  if (schedule.kind !== "at" || nowMs - runMs <= AT_LATE_MAX_MS) return null;
  return `its time was ${agoText(nowMs - runMs)} ago`;
}

function refused(job: Job, runMs: number, why: string, { nowMs, inform }: RunScene): Job {
  const isOver = job.schedule.kind === "at";
  const record: RunRecord = {
    runAtMs: nowMs,
    status: isOver ? "error" : "skipped",
    durationMs: 0,
    error: why,
    outcome: "refused",
    dueAtMs: runMs,
    count: 1,
  };
  const isNews = job.state.lastError !== why;
  const state = withRecord(job.state, record);
  if (isNews) inform(`Job "${job.name}" (${job.id}) could not run: ${why}.`);
  // It is kept, so that somebody can give it another time.
  return { ...job, enabled: job.enabled && !isOver, state };
}

/** @param before the run that was under way until now, if one was */
function afterRun(job: Job, before: RunUnderWay | null, book: JobBook): JobBook {
  if (!isSpent(job, before)) return book.with(job);
  return job.deleteAfterRun ? book.without(job.id) : book.with({ ...job, enabled: false });
}

/** A single time that has run; whoever paused it during that run has left nothing to wait for. */
function isSpent({ schedule, enabled, state }: Job, before: RunUnderWay | null): boolean {
  if (schedule.kind !== "at" || state.underWay !== null || state.nextRunAtMs !== null) return false;
  const hasRunDue = before?.isManual === false && before.dueMs === schedule.atMs;
  return hasRunDue || (enabled && (state.lastRunAtMs ?? -Infinity) >= schedule.atMs);
}

/** Its last time went by. It is kept, so that somebody can give it another one. */
function missedForGood(job: Job, { inform }: RunScene): Job {
  inform(`Job "${job.name}" (${job.id}) was missed: ${job.state.lastError}.`);
  return { ...job, enabled: false };
}

interface DueFacts {
  readonly dueMs: number;
  readonly isLate: boolean;
  readonly isManual: boolean;
  readonly passedOver: PassedOver | null;
}

/** The message that a due run is. */
function inputOf(job: Job, facts: DueFacts, { port, nowMs, timezone }: RunScene): NewInbound {
  const { deliver, channel, to, sessionKey, context } = job.payload;
  const isDelivered = deliver && channel !== null && to !== null;
  const place = isDelivered
    ? {
      replyChannel: channel,
      chatId: to,
      sessionKey: sessionKey ?? port.sessionKeyOf(channel, to),
    }
    : { replyChannel: null, chatId: job.id, sessionKey: `cron:${job.id}` };
  return {
    ...place,
    channel: SYSTEM_CHANNEL,
    platformId: cronInputId(job.id, facts.dueMs),
    senderId: "cron",
    content: dueText(job, { ...facts, nowMs, isDelivered, timezone }),
    media: [],
    context: isDelivered ? context ?? {} : {},
    wantsStream: false,
  };
}
