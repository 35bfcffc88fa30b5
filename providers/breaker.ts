/**
 * Remembers which of several candidates fail, so that nobody waits for them at each call. It only
 * says whom to ask first: nobody is ever refused.
 * @module
 */

import type { Clock } from "../actors/kernel/clock.ts";

/** So many failures in a row open a candidate's circuit. */
const FAILURES_MAX = 3;
/** An open circuit is probed again after this long. */
const OPEN_MS = 60_000;

interface Circuit {
  failures: number;
  /** When the next call may probe; epoch milliseconds. */
  probeAtMs: number;
}

/** One circuit for each candidate, by its place in the list. */
export class CandidateBreaker {
  readonly #clock: Clock;
  readonly #count: number;
  readonly #circuits = new Map<number, Circuit>();

  constructor(clock: Clock, count: number) {
    this.#clock = clock;
    this.#count = count;
  }

  /**
   * All candidates in the order in which to ask them: those whose circuits are open come last.
   * When one has been open long enough, one call asks it in its old place to see.
   */
  order(): readonly number[] {
    const all = Array.from({ length: this.#count }, (_, candidate) => candidate);
    const open = new Set(all.filter((candidate) => this.#isOpen(candidate)));
    const [first] = all.filter((candidate) => !open.has(candidate));
    if (first !== undefined) this.#noteProbe(first);
    return [...all.filter((candidate) => !open.has(candidate)), ...open];
  }

  /** The candidate gave no answer. */
  failed(candidate: number): void {
    const failures = (this.#circuits.get(candidate)?.failures ?? 0) + 1;
    this.#circuits.set(candidate, { failures, probeAtMs: this.#clock.now() + OPEN_MS });
  }

  /** The candidate answered. */
  succeeded(candidate: number): void {
    this.#circuits.delete(candidate);
  }

  #isOpen(candidate: number): boolean {
    const circuit = this.#circuits.get(candidate);
    return circuit !== undefined && circuit.failures >= FAILURES_MAX &&
      this.#clock.now() < circuit.probeAtMs;
  }

  /** Should the probe never come back, the next one goes after the same time. */
  #noteProbe(candidate: number): void {
    const circuit = this.#circuits.get(candidate);
    if (circuit !== undefined && circuit.failures >= FAILURES_MAX) {
      circuit.probeAtMs = this.#clock.now() + OPEN_MS;
    }
  }
}
