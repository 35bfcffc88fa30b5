/**
 * Times as history files tell them.
 * @module
 */

/** `2026-04-30 14:03`, where the assistant lives. */
export function localMinute(epochMs: number, timezone: string): string {
  const parts = new Map(
    formatOf(timezone).formatToParts(epochMs).map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}`;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
}
