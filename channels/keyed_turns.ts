/**
 * One thing at a time for each key, in the order of the calls.
 * @module
 */

/** Lets work with the same key wait for each other; work with different keys runs side by side. */
export class KeyedTurns {
  /** The end of the last work of each key that has some. */
  readonly #ends = new Map<string, Promise<void>>();

  /** Runs `work` when all earlier work of `key` has ended, however it did. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(key);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    this.#ends.set(key, end);
    try {
      await before;
      return await work();
    } finally {
      if (this.#ends.get(key) === end) this.#ends.delete(key);
      resolve();
    }
  }
}
