/**
 * A rate limit, kept ahead of time.
 * @module
 */

/** At most so many calls in any stretch of `windowMs`. */
export class RateWindow {
  readonly #callsMax: number;
  readonly #windowMs: number;
  readonly #times: number[] = [];

  constructor(callsMax: number, windowMs: number) {
    this.#callsMax = callsMax;
    this.#windowMs = windowMs;
  }

  /** When the next call may go out; epoch milliseconds. */
  nextMs(): number {
    const oldestMs = this.#times.at(-this.#callsMax);
    return oldestMs === undefined ? -Infinity : oldestMs + this.#windowMs;
  }

  /** A call goes out. */
  count(nowMs: number): void {
    this.#times.push(nowMs);
    if (this.#times.length > this.#callsMax) this.#times.shift();
  }

  /** Whether nothing of the past counts any more. */
  isIdle(nowMs: number): boolean {
    return nowMs - (this.#times.at(-1) ?? -Infinity) >= this.#windowMs;
  }
}
