/**
 * The platform's ids: numbers as text that grow with time.
 * @module
 */

/** Counted from the first second of 2015, in the platform's ids. */
const EPOCH_MS = 1_420_070_400_000;
const CLOCK_BITS = 22n;

/** When something with this id was made; epoch milliseconds, NaN for what is no id. */
export function timeOfId(id: string): number {
  return /^\d{1,20}$/.test(id) ? Number(BigInt(id) >> CLOCK_BITS) + EPOCH_MS : NaN;
}

/** The smallest id of that moment. */
export function idAtTime(timeMs: number): string {
  return String(BigInt(Math.max(0, Math.floor(timeMs) - EPOCH_MS)) << CLOCK_BITS);
}

/** Is the first id older? */
export function isOlder(one: string, other: string): boolean {
  return BigInt(one) < BigInt(other);
}
