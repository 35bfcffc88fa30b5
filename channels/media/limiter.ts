/**
 * A bound on work that runs at the same time.
 * @module
 */

/** Runs at most so many pieces of work at once; the others wait in order. */
export class Limiter {
  readonly #atOnceMax: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  /** Runs `work` when there is room; gives what it gives. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnceMax) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next(); // its place is handed on
    }
  }
}
