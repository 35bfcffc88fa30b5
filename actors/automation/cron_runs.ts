/**
 * Due runs: which begin now, how those that began have ended, and how each is accounted for. A run
 * is a message from inside, whose id makes it happen once: whatever dies between taking it in and
 * writing it down, it is neither lost nor repeated.
 * @module
 */

import { cronInputId, type Inbound, type NewInbound, SYSTEM_CHANNEL } from "../journal/journal.ts";
import { LATE_MS, type PassedOver } from "./due_runs.ts";
import { type Job, type JobState, type RunRecord, withRecord } from "./job.ts";
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

/**
 * Accounts for what has ended and what has fallen due.
 *
 * @param remember gets the book after each change, as what began has begun whatever comes next
 * @throws {JournalError} when a run cannot be taken in just now; it is due again at the next look
 */
export async function accountForRuns(
  book: JobBook,
  scene: RunScene,
  remember: (book: JobBook) => void,
): Promise<JobBook> {
  let current = book.armed(scene.nowMs, scene.schedules);
  remember(current);
  for (const { id } of current.jobs) {
    const job = current.find(id);
    if (job === undefined) continue;
    const ended = await withEnd(job, scene);
    const began = await withBegin(ended.job, ended.endedAtMs, scene);
    if (began === job) continue;
    current = isSpent(began) ? finished(current, began) : current.with(began);
    remember(current);
  }
  const armed = current.armed(scene.nowMs, scene.schedules);
  remember(armed);
  return armed;
}

/** Runs a job beside its schedule. @throws {JournalError} */
export async function runNow(job: Job, scene: RunScene): Promise<Job> {
  const { nowMs } = scene;
  const facts = { dueMs: nowMs, isLate: false, isManual: true, passedOver: null };
  const inbound = inputOf(job, facts, scene);
  await scene.port.accept(inbound);
  return begun(job, { dueMs: nowMs, isLate: false, isManual: true }, nowMs);
}

/** Why a job cannot run, as half a sentence; null when it can. */
export function obstacle({ payload }: Job, { port }: Pick<RunScene, "port">): string | null {
  const { deliver, channel, to } = payload;
  if (!deliver || channel === null || to === null || port.hasChannel(channel)) return null;
  return `channel "${channel}", where its answer should go, is not on`;
}

/** The job with the end of the run that was under way, if it has come. */
async function withEnd(
  job: Job,
  { port }: RunScene,
): Promise<{ readonly job: Job; readonly endedAtMs: number | null }> {
  const { underWay } = job.state;
  if (underWay === null) return { job, endedAtMs: null };
  const inbound = await port.find(cronInputId(job.id, underWay.dueMs));
  if (inbound !== null && !hasEnded(inbound)) return { job, endedAtMs: null };
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
  const state = { ...withRecord(job.state, record), underWay: null };
  return { job: { ...job, state }, endedAtMs };
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
async function withBegin(job: Job, endedAtMs: number | null, scene: RunScene): Promise<Job> {
  const { nowMs, schedules } = scene;
  const plan = dueNow(job, nowMs, schedules);
  if (plan === null) return job;
  const { runMs, passedOver, nextMs } = plan;
  // What fell due while the run before it went on was not missed by the gateway.
  const wasBusy = endedAtMs !== null && passedOver !== null && passedOver.firstMs <= endedAtMs;
  const skipped = passedOver === null ? job.state : withRecord(
    job.state,
    passedRecord(passedOver, nowMs, wasBusy),
  );
  const next: Job = { ...job, state: { ...skipped, nextRunAtMs: nextMs } };
  if (runMs === null) return next;
  const why = tooLate(job, runMs, nowMs) ?? obstacle(job, scene);
  if (why !== null) return refused(next, runMs, why, scene);
  const isLate = nowMs - runMs > LATE_MS;
  const facts = { dueMs: runMs, isLate, isManual: false, passedOver };
  await scene.port.accept(inputOf(job, facts, scene));
  return begun(next, { dueMs: runMs, isLate, isManual: false }, nowMs);
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

/** A single time that has run. */
function isSpent({ schedule, enabled, state }: Job): boolean {
  return schedule.kind === "at" && enabled && state.underWay === null &&
    state.nextRunAtMs === null && (state.lastRunAtMs ?? -Infinity) >= schedule.atMs;
}

function finished(book: JobBook, job: Job): JobBook {
  return job.deleteAfterRun ? book.without(job.id) : book.with({ ...job, enabled: false });
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
