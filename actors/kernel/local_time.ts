/**
 * Instants as people and models read them: the time of day in a zone, with its offset.
 * @module
 */

/** Formats are dear to make; there are as many as zones in use. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-05-01T08:00:00+08:00`; an unknown zone counts as UTC. */
export function localIso(epochMs: number, timezone: string): string {
  const parts = new Map(
    formatOf(timezone).formatToParts(epochMs).map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const date = `${part("year")}-${part("month")}-${part("day")}`;
  const offset = part("timeZoneName").replace(/^(GMT|UTC)/, "") || "+00:00";
  return `${date}T${part("hour")}:${part("minute")}:${part("second")}${offset}`;
}

/** `2026-05-01 08:00`; an unknown zone counts as UTC. */
export function localMinute(epochMs: number, timezone: string): string {
  return localIso(epochMs, timezone).slice(0, 16).replace("T", " ");
}

/** Whether there is a time zone of that name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const made = makeFormat(timezone);
  formats.set(timezone, made);
  return made;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      timeZoneName: "longOffset",
    });
  } catch (error) {
    if (error instanceof RangeError && timeZone !== "UTC") return makeFormat("UTC");
    throw error;
  }
}
