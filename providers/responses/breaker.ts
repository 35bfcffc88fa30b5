/**
 * Remembers where the Responses API does not work, so that nobody pays two calls for each answer.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";

/** So many failures in a row open the circuit. */
const FAILURES_MAX = 3;
/** An open circuit is probed again after this long. */
const OPEN_MS = 300_000;

interface Circuit {
  failures: number;
  /** When the next call may probe; epoch milliseconds. */
  probeAtMs: number;
}

/** One circuit per model and effort, in any case. */
export class ResponsesBreaker {
  readonly #clock: Clock;
  readonly #circuits = new Map<string, Circuit>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Whether to ask the Responses API. When the circuit has been open long enough, one call is
   * let through to see; others wait until it has told.
   */
  allows(model: string, effort: string | null): boolean {
    const circuit = this.#circuits.get(keyOf(model, effort));
    if (circuit === undefined || circuit.failures < FAILURES_MAX) return true;
    const now = this.#clock.now();
    if (now < circuit.probeAtMs) return false;
    // Should the probe never come back, the next one goes after the same time.
    circuit.probeAtMs = now + OPEN_MS;
    return true;
  }

  /** The API does not work there. */
  failed(model: string, effort: string | null): void {
    const key = keyOf(model, effort);
    const failures = (this.#circuits.get(key)?.failures ?? 0) + 1;
    this.#circuits.set(key, { failures, probeAtMs: this.#clock.now() + OPEN_MS });
  }

  /** The API works there. */
  succeeded(model: string, effort: string | null): void {
    this.#circuits.delete(keyOf(model, effort));
  }
}

function keyOf(model: string, effort: string | null): string {
  return `${model}:${effort ?? ""}`.toLowerCase();
}
