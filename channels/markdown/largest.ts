/**
 * How much of something fits, found in few tries.
 * @module
 */

/** The largest count up to `max` that holds, if smaller ones hold too; 0 when none does. */
export function largest(max: number, holds: (count: number) => boolean): number {
  let low = 0;
  let high = max;
  // Few of many hold, as a rule: looked for from below, so that the rest costs nothing.
  for (let probe = 32; probe < max; probe *= 2) {
    if (!holds(probe)) {
      high = probe - 1;
      break;
    }
    low = probe;
  }
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
