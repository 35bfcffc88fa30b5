/**
 * Points in time as a model or a person names them.
 * @module
 */

import { minuteParser } from "./minutes.ts";

const DAY_MS = 86_400_000;
const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS };

/** How a text is read. */
export interface MomentOptions {
  readonly nowMs: number;
  /** IANA name. */
  readonly timezone: string;
  /** Which end of a day is meant by its date. */
  readonly end: "first" | "last";
}

/**
 * `2026-05-01`, `2026-05-01 14:00`, an instant with its offset, or `7d`, `12h`, `30m` ago, as epoch
 * milliseconds; null for anything else.
 */
export function parseMoment(text: string, { nowMs, timezone, end }: MomentOptions): number | null {
  const trimmed = text.trim();
  const [date] = /^\d{4}-\d{2}-\d{2}/.exec(trimmed) ?? [];
  if (date !== undefined && !isDay(date)) return null;
  const [, count, unit = ""] = /^(\d{1,6})\s*([mhd])$/.exec(trimmed) ?? [];
  if (count !== undefined) return nowMs - Number(count) * (UNITS_MS[unit] ?? 0);
  if (/^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(trimmed)) {
    const atMs = Date.parse(trimmed);
    return Number.isNaN(atMs) ? null : atMs;
  }
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::\d{2})?)?$/.exec(trimmed) ??
    [];
  if (day === undefined) return null;
  const atMs = minuteParser(timezone)(`${day} ${time ?? "00:00"}`);
  if (atMs === null || time !== undefined || end === "first") return atMs;
  return atMs + DAY_MS - 1;
}

/** 30 February would pass for 2 March. */
function isDay(date: string): boolean {
  const atMs = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(date);
}
