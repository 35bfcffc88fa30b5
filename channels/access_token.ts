/**
 * A token that a platform lends for a while.
 * @module
 */

import { untilAborted } from "../actors/kernel/aborting.ts";
import type { Clock } from "../actors/kernel/clock.ts";

/** A token as the platform gave it. */
export interface LentToken {
  readonly token: string;
  /** For how long from now it is good. */
  readonly lifeMs: number;
}

/** What lending needs. */
export interface AccessTokenOptions {
  readonly clock: Pick<Clock, "now">;
  /** Ends a fetch, which is everybody's: that one caller gives up does not. */
  readonly signal: AbortSignal;
  /** Asks the platform; may fail with whatever that fails with. */
  readonly fetch: (signal: AbortSignal) => Promise<LentToken>;
}

/** A token is not used any more so long before its end: a call takes time as well. */
const MARGIN_MS = 60_000;

/** Fetches a token when it is needed, once for all who need it at the time. */
export class AccessToken {
  readonly #options: AccessTokenOptions;
  #held: { readonly token: string; readonly endsAtMs: number } | null = null;
  #fetching: Promise<string> | null = null;

  constructor(options: AccessTokenOptions) {
    this.#options = options;
  }

  /** A token that is good. @throws what `fetch` throws, or the signal's reason */
  async get(signal: AbortSignal): Promise<string> {
    const { clock } = this.#options;
    if (this.#held !== null && clock.now() < this.#held.endsAtMs) return this.#held.token;
    this.#fetching ??= this.#fetch().finally(() => this.#fetching = null);
    return await untilAborted(this.#fetching, signal);
  }

  /** The platform no longer takes this token: the next caller gets another one. */
  invalidate(token: string): void {
    if (this.#held?.token === token) this.#held = null;
  }

  /**
   * Runs `work` with a token, and once more with a new one when the platform did not take it.
   *
   * @param isStale whether a failure says so, before anything was done
   * @throws what `work` or `fetch` throws, or the signal's reason
   */
  async use<T>(
    work: (token: string) => Promise<T>,
    isStale: (error: unknown) => boolean,
    signal: AbortSignal,
  ): Promise<T> {
    const token = await this.get(signal);
    try {
      return await work(token);
    } catch (error) {
      if (!isStale(error)) throw error;
      this.invalidate(token);
      return await work(await this.get(signal));
    }
  }

  async #fetch(): Promise<string> {
    const { clock, fetch, signal } = this.#options;
    const { token, lifeMs } = await fetch(signal);
    // One that is given out for less than that is used for half of its life.
    const usableMs = Math.max(lifeMs - MARGIN_MS, lifeMs / 2);
    this.#held = { token, endsAtMs: clock.now() + usableMs };
    return token;
  }
}
