/**
 * Updates that wait to be confirmed, and whoever asks for them.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { Refusal } from "./refusal.ts";

/** What the platform keeps of an update: 24 hours. */
const KEPT_MS = 86_400_000;
const LIMIT = 100;

interface Waiting {
  readonly update: JsonObject;
  readonly id: number;
  readonly atMs: number;
}

/** The queue of one bot. */
export class Updates {
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #nextId = 1_000;
  #wake: () => void = () => {};
  #reader: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many are not confirmed. */
  get unconfirmed(): number {
    return this.#waiting.length;
  }

  /** Adds an update; gives its number. */
  add(content: JsonObject): number {
    const id = this.#nextId++;
    this.#waiting.push({ update: { update_id: id, ...content }, id, atMs: this.#clock.now() });
    this.#wake();
    return id;
  }

  /**
   * Answers `getUpdates`: confirms what is below the offset, and waits for something else. A second
   * reader ends the first.
   *
   * @throws {Refusal} 409
   */
  async read(
    { offset, timeoutMs }: { readonly offset: number; readonly timeoutMs: number },
    gone: AbortSignal,
  ): Promise<readonly JsonObject[]> {
    this.#reader?.abort();
    const reader = new AbortController();
    this.#reader = reader;
    const oldestMs = this.#clock.now() - KEPT_MS;
    this.#waiting = this.#waiting.filter(({ id, atMs }) => id >= offset && atMs >= oldestMs);
    if (this.#waiting.length === 0 && timeoutMs > 0) {
      await this.#news(timeoutMs, [gone, reader.signal]);
    }
    if (this.#reader === reader) this.#reader = undefined;
    if (reader.signal.aborted) {
      throw new Refusal(
        409,
        "Conflict: terminated by other getUpdates request; make sure that " +
          "only one bot instance is running",
      );
    }
    return this.#waiting.slice(0, LIMIT).map(({ update }) => update);
  }

  async #news(timeoutMs: number, signals: readonly AbortSignal[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = this.#clock.setTimer(timeoutMs, resolve);
    for (const signal of signals) signal.addEventListener("abort", () => resolve(), { once: true });
    if (signals.some(({ aborted }) => aborted)) resolve();
    await promise;
    timer.cancel();
  }
}
