/**
 * When a job is due: at a time, at an interval, or as a cron expression says in its time zone.
 * @module
 */

import type { Cron as CronType } from "croner";
import { isTimeZone } from "../kernel/local_time.ts";

/** When a job is due. */
export type Schedule =
  | { readonly kind: "at"; readonly atMs: number }
  | { readonly kind: "every"; readonly everyMs: number }
  /** `tz` is an IANA name. */
  | { readonly kind: "cron"; readonly expr: string; readonly tz: string };

/**
 * The due times of a schedule. Each is an instant, so that none comes twice when a clock is set
 * back. Where a clock jumps over a time of day, it is due right after the jump; where the time of
 * day comes twice, at the first; what is due at an interval goes by the time that passes.
 */
export interface DueTimes {
  /** The first after `atMs`; null when there is none. */
  nextAfter(atMs: number): number | null;
  /** Up to `count` at or before `atMs`, the oldest first. */
  lastUntil(atMs: number, count: number): readonly number[];
}

/** A schedule that can be used, or half a sentence about what is wrong with it. */
export type ReadSchedule =
  | { readonly state: "ok"; readonly times: DueTimes }
  | { readonly state: "refused"; readonly reason: string };

/** Longest expression that is looked at. */
const EXPRESSION_CHARS_MAX = 200;
/** Expressions that need not be read again: there are fewer jobs. */
const KNOWN_MAX = 1_000;
/** A hundred years: dates beyond it are typing errors. */
const HORIZON_MS = 100 * 366 * 86_400_000;

const CRON_HELP =
  'five fields, minute hour day month weekday, such as "0 9 * * MON-FRI", or @hourly, @daily, ' +
  "@weekly, @monthly, @yearly";

/** Reads schedules; made by {@link loadSchedules}. */
export interface Schedules {
  /** @param anchorMs a due time that an interval counts from */
  read(schedule: Schedule, anchorMs: number): ReadSchedule;
  /** The instant of a time of day in a zone, such as `2026-05-01T08:00`; null for other texts. */
  instant(localTime: string, tz: string): number | null;
}

/** Loads what reads cron expressions. */
export async function loadSchedules(): Promise<Schedules> {
  const { Cron } = await import("croner");
  const make = (pattern: string, timezone: string) =>
    new Cron(pattern, { timezone, paused: true, mode: "auto" });
  const known = new Map<string, ReadSchedule>();
  const readKnown = (schedule: Extract<Schedule, { kind: "cron" }>) => {
    const key = scheduleKey(schedule);
    const read = known.get(key) ?? readCron(schedule, make);
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(key, read);
    return read;
  };
  return {
    read: (schedule, anchorMs) => {
      switch (schedule.kind) {
        case "at":
          return { state: "ok", times: atTimes(schedule.atMs) };
        case "every":
          return { state: "ok", times: everyTimes(schedule.everyMs, anchorMs) };
        case "cron":
          return readKnown(schedule);
      }
    },
    instant: (localTime, tz) => instantOf(localTime, tz, make),
  };
}

/** Tells schedules apart: what is due differs where this does. */
export function scheduleKey(schedule: Schedule): string {
  switch (schedule.kind) {
    case "at":
      return `at ${schedule.atMs}`;
    case "every":
      return `every ${schedule.everyMs}`;
    case "cron":
      return `cron ${schedule.expr} ${schedule.tz}`;
  }
}

type MakeCron = (pattern: string, timezone: string) => CronType;

function atTimes(atMs: number): DueTimes {
  return {
    nextAfter: (afterMs) => atMs > afterMs ? atMs : null,
    lastUntil: (untilMs, count) => atMs <= untilMs && count > 0 ? [atMs] : [],
  };
}

function everyTimes(everyMs: number, anchorMs: number): DueTimes {
  const at = (step: number) => anchorMs + step * everyMs;
  return {
    nextAfter: (afterMs) => at(Math.floor((afterMs - anchorMs) / everyMs) + 1),
    lastUntil: (untilMs, count) => {
      const last = Math.floor((untilMs - anchorMs) / everyMs);
      return Array.from({ length: count }, (_, index) => at(last - count + 1 + index));
    },
  };
}

function readCron({ expr, tz }: Extract<Schedule, { kind: "cron" }>, make: MakeCron): ReadSchedule {
  if (!isTimeZone(tz)) {
    return refused(`there is no time zone "${tz}": give a name such as Europe/Berlin`);
  }
  if (expr.length > EXPRESSION_CHARS_MAX || !looksLikeCron(expr)) {
    return refused(`"${clip(expr)}" is no cron expression: give ${CRON_HELP}`);
  }
  const cron = madeOrNull(expr, tz, make);
  if (typeof cron === "string") {
    return refused(`"${expr}" is no cron expression (${cron}): give ${CRON_HELP}`);
  }
  const times = cronTimes(cron);
  return times.nextAfter(0) === null
    ? refused(`"${expr}" is never due: there is no such day`)
    : { state: "ok", times };
}

/** The library takes dates as well, which are due once. */
function looksLikeCron(expr: string): boolean {
  return /^@[a-z]+$/i.test(expr.trim()) || expr.trim().split(/\s+/).length >= 5;
}

function cronTimes(cron: CronType): DueTimes {
  return {
    nextAfter: (afterMs) => {
      const next = cron.nextRun(new Date(afterMs))?.getTime() ?? null;
      return next === null || next > afterMs + HORIZON_MS ? null : next;
    },
    // The library counts back from before the second it is given.
    lastUntil: (untilMs, count) =>
      cron.previousRuns(count, new Date(untilMs + 1_000)).map((date) => date.getTime())
        .filter((dueMs) => dueMs <= untilMs).toReversed(),
  };
}

/** The expression, or what the library says of it. */
function madeOrNull(expr: string, tz: string, make: MakeCron): CronType | string {
  try {
    return make(expr.trim(), tz);
  } catch (error) {
    if (error instanceof Error) return error.message.replace(/^CronPattern: /, "");
    throw error;
  }
}

const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d))?)?$/;

function instantOf(localTime: string, tz: string, make: MakeCron): number | null {
  const parts = LOCAL_TIME.exec(localTime.trim());
  if (parts === null || !isTimeZone(tz)) return null;
  const [, date = "", time = "00:00", seconds = "00"] = parts;
  const iso = `${date}T${time}:${seconds}`;
  const asUtcMs = Date.parse(`${iso}Z`);
  // A 30 February would become a day in March.
  if (Number.isNaN(asUtcMs) || !new Date(asUtcMs).toISOString().startsWith(date)) return null;
  const cron = madeOrNull(iso, tz, make);
  return typeof cron === "string" ? null : cron.nextRun(new Date(0))?.getTime() ?? null;
}

function refused(reason: string): ReadSchedule {
  return { state: "refused", reason };
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
