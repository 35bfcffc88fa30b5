/**
 * Jobs in words: for the model that made them, for people at the command line, and for the turn
 * that carries one out.
 * @module
 */

import { localIso } from "../kernel/local_time.ts";
import type { PassedOver } from "./due_runs.ts";
import type { Job, RunRecord } from "./job.ts";
import type { Schedule } from "./schedule.ts";

const UNITS = [["h", 3_600_000], ["m", 60_000], ["s", 1_000], ["ms", 1]] as const;
/** Errors in a list are cut here. */
const ERROR_CHARS_MAX = 200;

/** `every 2h`, `cron: 0 9 * * * (Europe/Berlin)`, `at 2026-05-01T08:00:00+08:00 (Asia/Shanghai)`. */
export function timingText(schedule: Schedule, timezone: string): string {
  switch (schedule.kind) {
    case "at":
      return `at ${localIso(schedule.atMs, timezone)} (${timezone})`;
    case "every":
      return `every ${lengthText(schedule.everyMs)}`;
    case "cron":
      return `cron: ${schedule.expr} (${schedule.tz})`;
  }
}

/** A length of time in the largest unit that it is a whole number of. */
export function lengthText(lengthMs: number): string {
  const unit = UNITS.find(([, unitMs]) => lengthMs % unitMs === 0) ?? ["ms", 1] as const;
  return `${lengthMs / unit[1]}${unit[0]}`;
}

/** The lines of a job in a list. */
export function jobLines(job: Job, timezone: string): string[] {
  const { schedule, state, payload, enabled, id, name } = job;
  const zone = zoneOf(schedule, timezone);
  const off = enabled ? "" : ", paused";
  const lines = [`- ${name} (${id}, ${timingText(schedule, zone)}${off})`];
  if (payload.kind === "system_event") lines.push("  Protected: a job of the gateway itself");
  const last = lastText(job, zone);
  if (last !== "") lines.push(`  ${last}`);
  if (state.underWay !== null) lines.push("  A run is under way");
  if (state.nextRunAtMs !== null) lines.push(`  Next run: ${localIso(state.nextRunAtMs, zone)}`);
  return lines;
}

function lastText({ state }: Job, zone: string): string {
  const { lastRunAtMs, lastStatus, lastError } = state;
  if (lastStatus === null) return "";
  const when = lastRunAtMs === null ? "never ran" : `Last run: ${localIso(lastRunAtMs, zone)}`;
  const error = lastError === null ? "" : ` (${clip(lastError)})`;
  return `${when}, ${lastStatus}${error}`;
}

/** A line of a job's history. */
export function recordText(record: RunRecord, timezone: string): string {
  const { outcome, dueAtMs, runAtMs, status, error, count, durationMs } = record;
  const due = dueAtMs === null ? "" : ` due ${localIso(dueAtMs, timezone)}`;
  const many = count > 1 ? ` (${count} due times in a row)` : "";
  const took = status === "skipped" ? "" : ` in ${lengthText(durationMs)}`;
  const why = error === null ? "" : `: ${clip(error)}`;
  const what = outcome === null ? status : `${outcome}, ${status}`;
  return `${localIso(runAtMs, timezone)}  ${what}${took}${due}${many}${why}`;
}

/** The zone in which a schedule's times are told. */
export function zoneOf(schedule: Schedule, timezone: string): string {
  return schedule.kind === "cron" ? schedule.tz : timezone;
}

/** What is said of a due run to the model that carries it out. */
export interface DueScene {
  readonly dueMs: number;
  readonly nowMs: number;
  readonly isLate: boolean;
  readonly isManual: boolean;
  readonly passedOver: PassedOver | null;
  /** Whether the answer goes to the job's chat. */
  readonly isDelivered: boolean;
  readonly timezone: string;
}

/** What the session is told: a job is due, and what stands in it. */
export function dueText(job: Job, scene: DueScene): string {
  const { dueMs, nowMs, isLate, isManual, passedOver, isDelivered, timezone } = scene;
  const zone = zoneOf(job.schedule, timezone);
  const why = isManual
    ? "somebody asked to run it now"
    : `due ${localIso(dueMs, zone)}${isLate ? `, ${agoText(nowMs - dueMs)} ago` : ""}`;
  const missed = passedOver === null ? [] : [
    `Runs passed over before it: ${passedOver.isMore ? "more than " : ""}${passedOver.count}, ` +
    `from ${localIso(passedOver.firstMs, zone)} on.`,
  ];
  return [
    `[Scheduled job "${oneLine(job.name)}" (${job.id}), ${why}]`,
    ...(isLate ? ["It is late, because the gateway could not run it in time."] : []),
    ...missed,
    isDelivered
      ? "Carry out what it says. Your answer is sent to this chat: say it to the person, as " +
        "something new, and do not speak of jobs or timers."
      : "Carry out what it says. Your answer is only stored: whoever should hear of something " +
        "must be sent a message with the tool for it.",
    "",
    job.payload.message,
  ].join("\n");
}

/** `3 h`, `2 d`: about how long. */
export function agoText(lengthMs: number): string {
  const minutes = Math.round(lengthMs / 60_000);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function clip(text: string): string {
  const line = oneLine(text);
  return line.length > ERROR_CHARS_MAX ? `${line.slice(0, ERROR_CHARS_MAX)}…` : line;
}
