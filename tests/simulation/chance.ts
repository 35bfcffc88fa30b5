/**
 * All chance of a world, from its seed.
 * @module
 */

import { type Random, seededRandom } from "../../actors/kernel/random.ts";

/** A source of chance. Sources of different names do not influence each other. */
export class Chance implements Random {
  readonly #seed: number;
  readonly #random: Random;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
  }

  /** A source of its own, the same for the same seed and name. */
  fork(name: string): Chance {
    let hash = this.#seed ^ 0x9e3779b9;
    for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    return new Chance(hash);
  }

  next(): number {
    return this.#random.next();
  }

  /** True in this share of cases, 0 to 1. */
  happens(share: number): boolean {
    return this.#random.next() < share;
  }

  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.#random.next() * (max - min + 1));
  }

  /** One of `values`, which has at least one. */
  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.between(0, values.length - 1)] ?? values[0];
  }

  /** One of the values, each as often as the number beside it says. */
  weighted<T>(choices: readonly (readonly [T, number])[]): T {
    let left = this.#random.next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [value, weight] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    throw new RangeError("Cannot pick from nothing: no value has a weight");
  }
}
