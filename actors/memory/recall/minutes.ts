/**
 * Times of history files as instants.
 * @module
 */

import { localMinute } from "../../kernel/local_time.ts";

const MINUTE_MS = 60_000;
/** Entries follow each other, so the offset of one hour serves many of them. */
const OFFSETS_KEPT = 1_000;

/** Reads `YYYY-MM-DD HH:MM` of a time zone as epoch milliseconds; null for anything else. */
export function minuteParser(timezone: string): (text: string) => number | null {
  const offsets = new Map<string, number>();
  return (text) => {
    const [, day = "", hour = "", minute = ""] =
      /^(\d{4}-\d{2}-\d{2})[ T](\d{2}):(\d{2})/.exec(text) ?? [];
    const hourMs = Date.parse(`${day}T${hour}:00Z`);
    if (Number.isNaN(hourMs)) return null;
    const key = `${day} ${hour}`;
    let offsetMs = offsets.get(key);
    if (offsetMs === undefined) {
      // Twice: the offset of the instant, not of the same figures in UTC.
      offsetMs = offsetAt(hourMs - offsetAt(hourMs, timezone), timezone);
      if (offsets.size >= OFFSETS_KEPT) offsets.clear();
      offsets.set(key, offsetMs);
    }
    return hourMs - offsetMs + Number(minute) * MINUTE_MS;
  };
}

function offsetAt(epochMs: number, timezone: string): number {
  return Date.parse(`${localMinute(epochMs, timezone).replace(" ", "T")}Z`) - epochMs;
}
