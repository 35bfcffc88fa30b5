/**
 * Days as people count them: from midnight to midnight where they live.
 * @module
 */

import { zonedTime } from "./runtime_context.ts";

/** Longer than any day, those on which clocks are put back included. */
const DAY_MAX_MS = 27 * 3_600_000;

/** `2026-04-30`. */
export function localDay(epochMs: number, timezone: string): string {
  return zonedTime(epochMs, timezone).slice(0, 10);
}

/** `00:00`. */
export function localTime(epochMs: number, timezone: string): string {
  return zonedTime(epochMs, timezone).slice(11, 16);
}

/** When the next day begins, in epoch milliseconds. */
export function nextDayMs(nowMs: number, timezone: string): number {
  const today = localDay(nowMs, timezone);
  let before = nowMs;
  let after = nowMs + DAY_MAX_MS;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDay(middle, timezone) === today) before = middle;
    else after = middle;
  }
  return after;
}
