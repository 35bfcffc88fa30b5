/**
 * The wait that a vendor asks for, from its headers or from its words.
 * @module
 */

/** Shorter waits are not worth the timer. */
const WAIT_MIN_MS = 100;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const UNIT = String.raw`(?:(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m)\b)`;
const PATTERNS: readonly RegExp[] = [
  new RegExp(`retry after ${NUMBER}\\s*${UNIT}?`),
  new RegExp(`(?:try again|retry) in ${NUMBER}\\s*${UNIT}`),
  new RegExp(`wait ${NUMBER}\\s*${UNIT} before retry`),
  new RegExp(`retry[_-]?after["'\\s:=]+${NUMBER}`),
];

/**
 * The wait that `retry-after-ms` or `retry-after` (seconds or an HTTP date) name.
 *
 * @param nowMs epoch milliseconds, for dates
 * @returns milliseconds, or undefined when nothing usable is there
 */
export function waitFromHeaders(headers: Headers, nowMs: number): number | undefined {
  const exactMs = positiveNumber(headers.get("retry-after-ms"));
  if (exactMs !== undefined) return atLeastMin(exactMs);
  const value = headers.get("retry-after")?.trim() ?? "";
  if (value === "") return undefined;
  if (/^[+-]?[\d.]+$/.test(value)) {
    const seconds = positiveNumber(value);
    return seconds === undefined ? undefined : atLeastMin(seconds * 1_000);
  }
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : atLeastMin(dateMs - nowMs);
}

/**
 * The wait that an error's text names: "try again in 20s", `"retry_after": 20`, …
 *
 * @returns milliseconds, or undefined
 */
export function waitFromText(text: string): number | undefined {
  const lower = text.toLowerCase();
  for (const pattern of PATTERNS) {
    const [, amount, unit = "s"] = pattern.exec(lower) ?? [];
    const value = positiveNumber(amount ?? null);
    if (value !== undefined) return atLeastMin(value * unitMs(unit));
  }
  return undefined;
}

function unitMs(unit: string): number {
  if (unit.startsWith("ms") || unit.startsWith("mil")) return 1;
  return UNIT_MS[unit.charAt(0)] ?? 1_000;
}

function positiveNumber(text: string | null): number | undefined {
  const value = Number(text ?? "");
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function atLeastMin(waitMs: number): number {
  return Math.max(WAIT_MIN_MS, Math.round(waitMs));
}
