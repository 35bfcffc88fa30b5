/**
 * What happened in a world, line by line: the same seed gives the same bytes.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";

/** Lines with the instant and the part of the world they are from. */
export class EventLog {
  readonly lines: string[] = [];
  readonly #clock: Clock;
  readonly #startMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.now();
  }

  /** Seconds since the start of the world. */
  get seconds(): number {
    return (this.#clock.now() - this.#startMs) / 1_000;
  }

  /** Adds a line. */
  add(part: string, what: string): void {
    this.lines.push(`${this.seconds.toFixed(3).padStart(9)} ${part.padEnd(10)} ${what}`);
  }

  /** All lines as one text. */
  text(): string {
    return this.lines.map((line) => `${line}\n`).join("");
  }
}
