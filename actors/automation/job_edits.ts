/**
 * What people and the model may change about jobs, and what is refused to them. All of it works on
 * values: nothing is stored here.
 * @module
 */

import { createHash } from "node:crypto";
import type { CronAnswer, JobChange, JobDraft, Requester } from "./cron_protocol.ts";
import { FRESH_STATE, type Job } from "./job.ts";
import { isOwnJob, type JobBook, JOBS_MAX } from "./job_book.ts";
import { agoText } from "./job_text.ts";
import { type CheckScene, checkSchedule, nextThree } from "./written_schedule.ts";

/** Longest instruction of a job; it is said again at each run. */
const MESSAGE_CHARS_MAX = 10_000;
const NAME_CHARS_MAX = 100;
/** A job without a name is called by the beginning of its instruction. */
const NAME_FROM_MESSAGE_CHARS = 30;
const ID_CHARS = 8;

/** What becomes of the book, and what is answered. */
export interface Edit {
  readonly book: JobBook;
  readonly answer: CronAnswer;
}

/** What edits are made with. */
export interface EditScene extends CheckScene {
  readonly by: Requester;
  readonly newId: () => string;
}

/** Whether somebody may see and change a job: its maker, whoever sits in its chat, an owner. */
export function mayTouch({ payload }: Job, { address, isOwner, chat }: Requester): boolean {
  if (isOwner) return true;
  if (payload.createdBy !== null && address !== null) return payload.createdBy === address;
  // Made by nobody known, or asked for from inside: the chat tells.
  return chat !== null && payload.channel === chat.channel && payload.to === chat.chatId;
}

/** Makes a job. */
export function addJob(book: JobBook, draft: JobDraft, scene: EditScene): Edit {
  const { nowMs, by, newId } = scene;
  const message = draft.message.trim();
  const problem = messageProblem(message) ?? nameProblem(draft.name);
  if (problem !== null) return no(book, "invalid", problem);
  if (book.jobs.length >= JOBS_MAX) {
    const reason = `Cannot add a job: there are ${JOBS_MAX}, which is the most; remove one first`;
    return no(book, "full", reason);
  }
  const checked = checkSchedule(draft.schedule, scene);
  if (checked.state === "refused") return no(book, "invalid", checked.reason);
  const { schedule } = checked;
  const job: Job = {
    id: freshId(book, newId),
    name: draft.name?.trim() || message.slice(0, NAME_FROM_MESSAGE_CHARS).trimEnd(),
    enabled: true,
    schedule,
    payload: {
      kind: "agent_turn",
      message,
      deliver: draft.deliver,
      channel: draft.channel,
      to: draft.to,
      sessionKey: draft.sessionKey,
      context: draft.context ?? null,
      createdBy: by.address,
    },
    missedRuns: draft.missedRuns ?? "once",
    state: FRESH_STATE,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    deleteAfterRun: draft.deleteAfterRun ?? schedule.kind === "at",
    raw: {},
  };
  return yes(book.with(job), job.id, scene);
}

/** Changes a job; what it knows of its runs stays. */
export function changeJob(book: JobBook, id: string, change: JobChange, scene: EditScene): Edit {
  const found = findFor(book, id, scene.by, "change");
  if (found.state === "refused") return { book, answer: found };
  const { job } = found;
  const message = change.message?.trim();
  const problem = (message === undefined ? null : messageProblem(message)) ??
    nameProblem(change.name);
  if (problem !== null) return no(book, "invalid", problem);
  const schedule = change.schedule && checkSchedule(change.schedule, scene);
  if (schedule?.state === "refused") return no(book, "invalid", schedule.reason);
  const isEnabled = change.enabled ?? job.enabled;
  const changed: Job = {
    ...job,
    name: change.name?.trim() || job.name,
    enabled: isEnabled,
    schedule: schedule?.schedule ?? job.schedule,
    payload: {
      ...job.payload,
      message: message ?? job.payload.message,
      deliver: change.deliver ?? job.payload.deliver,
    },
    missedRuns: change.missedRuns ?? job.missedRuns,
    updatedAtMs: scene.nowMs,
  };
  const past = isEnabled && !job.enabled ? pastTime(changed, scene.nowMs) : null;
  if (past !== null) return no(book, "invalid", past);
  return yes(book.with(changed), job.id, scene);
}

/** Removes a job. */
export function removeJob(book: JobBook, id: string, scene: EditScene): Edit {
  const found = findFor(book, id, scene.by, "remove");
  if (found.state === "refused") return { book, answer: found };
  return {
    book: book.without(found.job.id),
    answer: { state: "done", job: found.job, nextMs: [] },
  };
}

/** The job that somebody means, if it is theirs to change. */
export function findFor(
  book: JobBook,
  id: string,
  by: Requester,
  action: string,
): { readonly state: "found"; readonly job: Job } | Extract<CronAnswer, { state: "refused" }> {
  const job = book.find(id);
  // What one may not see does not exist for one.
  if (job === undefined || (isOwnJob(job) && !mayTouch(job, by))) {
    const own = job === undefined ? "there is no such job" : "it is not yours";
    const why = job === undefined ? "missing" : "protected";
    const reason = `Cannot ${action} job "${id}": ${own}; see the list of jobs`;
    return { state: "refused", why, reason };
  }
  if (isOwnJob(job)) return { state: "found", job };
  const own = job.id === "dream" || job.name === "dream"
    ? "Dream keeps the memory in order and runs by agents.defaults.dream of the configuration"
    : "it belongs to the gateway";
  const reason = `Cannot ${action} job "${job.id}": it is protected, as ${own}`;
  return { state: "refused", why: "protected", reason };
}

function yes(book: JobBook, id: string, scene: EditScene): Edit {
  const armed = book.armed(scene.nowMs, scene.schedules);
  const job = armed.find(id);
  if (job === undefined) return no(book, "missing", `Cannot find job "${id}"`);
  const anchorMs = job.state.nextRunAtMs ?? scene.nowMs;
  const nextMs = job.enabled ? nextThree(job.schedule, scene, anchorMs) : [];
  return { book: armed, answer: { state: "done", job, nextMs } };
}

function no(
  book: JobBook,
  why: Extract<CronAnswer, { state: "refused" }>["why"],
  reason: string,
): Edit {
  return { book, answer: { state: "refused", why, reason } };
}

function messageProblem(message: string): string | null {
  if (message === "") {
    return "Cannot schedule a job without a message: say in message what is to be done, or what " +
      "the person is to be reminded of, and try again";
  }
  if (message.length <= MESSAGE_CHARS_MAX) return null;
  return `Cannot schedule a message of ${message.length} characters: ` +
    `${MESSAGE_CHARS_MAX} is the most; keep the details in a file and name it`;
}

function nameProblem(name: string | undefined): string | null {
  if (name === undefined || name.length <= NAME_CHARS_MAX) return null;
  return `Cannot give a job a name of ${name.length} characters: ${NAME_CHARS_MAX} is the most`;
}

function pastTime({ schedule, state }: Job, nowMs: number): string | null {
  if (schedule.kind !== "at" || schedule.atMs > nowMs || state.underWay !== null) return null;
  return `Cannot enable the job: its time was ${agoText(nowMs - schedule.atMs)} ago; ` +
    "give it another one";
}

function freshId(book: JobBook, newId: () => string): string {
  for (;;) {
    const id = createHash("sha256").update(newId()).digest("hex").slice(0, ID_CHARS);
    if (book.jobs.every((job) => job.id !== id)) return id;
  }
}
