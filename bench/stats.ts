/**
 * What a list of measurements comes down to.
 * @module
 */

/** The middle value; NaN of an empty list. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The value that `percent` of all values do not exceed; NaN of an empty list. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * percent / 100));
  return sorted[index] ?? NaN;
}
