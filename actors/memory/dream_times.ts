/**
 * When Dream is due, so that neither restarts nor time asleep make it late for ever.
 * @module
 */

import type { DreamSchedule } from "../config/dream_schedule.ts";

/** After a start there is something better to do. */
const CATCH_UP_MS = 60_000;

/** When the next run is due, in epoch milliseconds; a run that was missed is due soon, once. */
export type NextDue = (lastMs: number, nowMs: number) => number;

/**
 * The times of a schedule; null when its expression has none.
 *
 * @param lastMs when the last run began, or the schedule itself
 */
export async function dreamTimes(schedule: DreamSchedule): Promise<NextDue | null> {
  if (schedule.type === "every") {
    return (lastMs, nowMs) => caughtUp(lastMs + schedule.everyMs, nowMs);
  }
  const { Cron } = await import("croner");
  const { expression, timezone } = schedule;
  try {
    const cron = new Cron(expression, { timezone, paused: true });
    const nextAfter = (atMs: number) => cron.nextRun(new Date(atMs))?.getTime() ?? null;
    if (nextAfter(0) === null) return null;
    return (lastMs, nowMs) => caughtUp(nextAfter(lastMs) ?? Infinity, nowMs);
  } catch (error) {
    if (error instanceof Error) return null; // the library says so in words of its own
    throw error;
  }
}

function caughtUp(dueMs: number, nowMs: number): number {
  return dueMs <= nowMs ? nowMs + CATCH_UP_MS : dueMs;
}
