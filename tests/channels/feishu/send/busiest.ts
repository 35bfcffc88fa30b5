/**
 * How busy a platform was.
 * @module
 */

/** The most calls that any stretch of `windowMs` saw. */
export function busiest(times: readonly number[], windowMs: number): number {
  return Math.max(
    0,
    ...times.map((start) => times.filter((at) => at >= start && at < start + windowMs).length),
  );
}
