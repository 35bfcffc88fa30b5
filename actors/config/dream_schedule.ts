/**
 * When Dream runs.
 * @module
 */

import type { DreamConfig } from "./schema/agents.ts";

const HOUR_MS = 3_600_000;

/** A fixed interval, or the older form of a schedule. */
export type DreamSchedule =
  | { readonly type: "every"; readonly everyMs: number }
  | { readonly type: "cron"; readonly expression: string; readonly timezone: string };

/** The schedule that the settings ask for; an expression wins over the interval. */
export function dreamSchedule(dream: DreamConfig, timezone: string): DreamSchedule {
  return dream.cron === null
    ? { type: "every", everyMs: dream.intervalH * HOUR_MS }
    : { type: "cron", expression: dream.cron, timezone };
}

/** The schedule as the start shows it. */
export function describeDreamSchedule(dream: DreamConfig): string {
  return dream.cron === null ? `every ${dream.intervalH}h` : `cron ${dream.cron} (legacy)`;
}
