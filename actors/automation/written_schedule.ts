/**
 * Schedules as people and models write them, checked before anything is stored.
 * @module
 */

import { isTimeZone, localIso } from "../kernel/local_time.ts";
import type { WrittenSchedule } from "./cron_protocol.ts";
import { agoText, lengthText } from "./job_text.ts";
import type { Schedule, Schedules } from "./schedule.ts";

/** Each run is a turn of the model: what comes more often is a typing error. */
export const EVERY_MIN_MS = 10_000;
/** A hundred years. */
const EVERY_MAX_MS = 100 * 366 * 86_400_000;
/** Due times between which the shortest distance is looked for. */
const SAMPLE = 8;

const AT_HELP = "give it as 2026-05-01T08:00:00, with an offset such as +02:00 where it is not " +
  "meant in the default zone, or as a time from now such as +20m";

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A schedule, or what is wrong with it as a sentence. */
export type CheckedSchedule =
  | { readonly state: "ok"; readonly schedule: Schedule; readonly nextMs: readonly number[] }
  | { readonly state: "refused"; readonly reason: string };

/** What a schedule is checked with. */
export interface CheckScene {
  readonly schedules: Schedules;
  readonly nowMs: number;
  /** The assistant's own zone. */
  readonly timezone: string;
}

/** Reads a schedule. */
export function checkSchedule(written: WrittenSchedule, scene: CheckScene): CheckedSchedule {
  const { everySeconds, expr, at, tz } = written;
  const given = [everySeconds, expr, at].filter((value) => value !== undefined).length;
  if (given !== 1) {
    const state = given === 0 ? "it has no schedule" : "it has more than one schedule";
    return refused(
      `Cannot schedule the job: ${state}; give one of every_seconds, cron_expr and at`,
    );
  }
  if (tz !== undefined && everySeconds !== undefined) {
    return refused("Cannot use tz with every_seconds: an interval has no time zone");
  }
  if (tz !== undefined && !isTimeZone(tz)) {
    return refused(
      `Cannot use time zone "${tz}": there is none of that name; ` +
        "give an IANA name such as Asia/Shanghai",
    );
  }
  if (everySeconds !== undefined) return checkEvery(everySeconds, scene);
  return expr !== undefined ? checkCron(expr, tz, scene) : checkAt(at ?? "", tz, scene);
}

/** The next due times, up to three. */
export function nextThree(
  schedule: Schedule,
  { schedules, nowMs }: Pick<CheckScene, "schedules" | "nowMs">,
  anchorMs: number = nowMs,
): number[] {
  const read = schedules.read(schedule, anchorMs);
  return read.state === "ok" ? upcoming(read.times, nowMs, 3) : [];
}

function checkEvery(everySeconds: number, scene: CheckScene): CheckedSchedule {
  const everyMs = Math.round(everySeconds * 1_000);
  if (!(everyMs >= EVERY_MIN_MS && everyMs <= EVERY_MAX_MS)) {
    const least = lengthText(EVERY_MIN_MS);
    return refused(
      `Cannot run the job every ${everySeconds} s: an interval is ${least} at least, and ` +
        "a hundred years at most",
    );
  }
  return accepted({ kind: "every", everyMs }, scene);
}

function checkCron(expr: string, tz: string | undefined, scene: CheckScene): CheckedSchedule {
  const schedule = { kind: "cron", expr: expr.trim(), tz: tz ?? scene.timezone } as const;
  const read = scene.schedules.read(schedule, scene.nowMs);
  if (read.state === "refused") return refused(`Cannot schedule the job: ${read.reason}`);
  const sample = upcoming(read.times, scene.nowMs, SAMPLE);
  if (sample.length === 0) {
    return refused(`Cannot schedule the job: "${expr}" is never due from now on`);
  }
  const isTooOften = sample.some((dueMs, index) =>
    index > 0 && dueMs - (sample[index - 1] ?? -Infinity) < EVERY_MIN_MS
  );
  if (!isTooOften) return accepted(schedule, scene);
  return refused(
    `Cannot schedule the job: "${expr}" is due more often than every ${lengthText(EVERY_MIN_MS)}`,
  );
}

function checkAt(at: string, tz: string | undefined, scene: CheckScene): CheckedSchedule {
  const { nowMs, timezone } = scene;
  const atMs = instantOf(at.trim(), tz ?? timezone, scene);
  if (atMs === null) return refused(`Cannot read the time "${at}": ${AT_HELP}`);
  if (atMs > nowMs) return accepted({ kind: "at", atMs }, scene);
  return refused(
    `Cannot schedule the job at ${localIso(atMs, tz ?? timezone)}: that was ` +
      `${agoText(nowMs - atMs)} ago (it is ${localIso(nowMs, timezone)} in ${timezone})`,
  );
}

function instantOf(at: string, tz: string, { schedules, nowMs }: CheckScene): number | null {
  const [, count, unit = ""] = /^\+(\d{1,6})([smhd])$/.exec(at) ?? [];
  if (count !== undefined) return nowMs + Number(count) * (UNITS_MS[unit] ?? 0);
  const [whole, localTime = ""] =
    /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/.exec(at) ?? [];
  if (whole === undefined) return schedules.instant(at, tz);
  if (schedules.instant(localTime, "UTC") === null) return null;
  const atMs = Date.parse(whole.replace(" ", "T"));
  return Number.isNaN(atMs) ? null : atMs;
}

function accepted(schedule: Schedule, scene: CheckScene): CheckedSchedule {
  return { state: "ok", schedule, nextMs: nextThree(schedule, scene) };
}

function upcoming(
  times: { nextAfter(atMs: number): number | null },
  fromMs: number,
  count: number,
): number[] {
  const due: number[] = [];
  let atMs: number | null = times.nextAfter(fromMs);
  while (atMs !== null && due.length < count) {
    due.push(atMs);
    atMs = times.nextAfter(atMs);
  }
  return due;
}

function refused(reason: string): CheckedSchedule {
  return { state: "refused", reason };
}
