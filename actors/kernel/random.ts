/**
 * Chance as a part that is handed in.
 * @module
 */

/** Where randomness comes from. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
}

/** Makes ids that are unique in this installation. */
export type NewId = () => string;

/**
 * A generator that gives the same numbers for the same seed (mulberry32, public domain).
 *
 * @param seed any 32-bit integer
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next(): number {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    },
  };
}

/** `valueMs` changed by up to `share` (0.2 = 20 %) in either direction; never below 0. */
export function jitter(random: Random, valueMs: number, share: number): number {
  return Math.max(0, Math.round(valueMs * (1 + (random.next() * 2 - 1) * share)));
}
