/**
 * Where the SDK keeps the app's token: one cache a link, so that a refused token can be dropped
 * and two links never share one (the SDK's own cache is global).
 * @module
 */

import type { Cache } from "@larksuiteoapi/node-sdk";
import { untilAborted } from "../../../actors/kernel/aborting.ts";
import type { Clock } from "../../../actors/kernel/clock.ts";

/** How a call uses the token. */
export interface TokenUse {
  readonly signal: AbortSignal;
  /** Whether a failure says that the token does not count. */
  readonly isRefusal: (error: unknown) => boolean;
}

/** The SDK's cache for one app. It keeps a token until three minutes before its end. */
export class TokenCache implements Cache {
  readonly #clock: Pick<Clock, "now">;
  readonly #entries = new Map<unknown, { readonly value: unknown; readonly expiresAtMs: number }>();
  /** Resolves when a call that found no token has one, or has ended. */
  #renewal: PromiseWithResolvers<void> | undefined;
  /** Tokens so far: tells whether another one came while a call was under way. */
  #generation = 0;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  get(key: string | symbol | object): Promise<unknown> {
    const entry = this.#entries.get(key);
    const isFresh = entry !== undefined && entry.expiresAtMs > this.#clock.now();
    return Promise.resolve(isFresh ? entry.value : undefined);
  }

  /** @param expire by the SDK's own clock */
  set(key: string | symbol | object, value: unknown, expire?: number): Promise<boolean> {
    const lifeMs = expire === undefined ? Infinity : expire - Date.now();
    this.#entries.set(key, { value, expiresAtMs: this.#clock.now() + lifeMs });
    this.#generation++;
    this.#renewal?.resolve();
    this.#renewal = undefined;
    return Promise.resolve(true);
  }

  /**
   * Makes a call that needs a token, and once more with a new one where that was refused. Where
   * there is none, one call gets it and the others wait, so that many at once ask for one only.
   */
  async withToken<T>(call: () => Promise<T>, { signal, isRefusal }: TokenUse): Promise<T> {
    try {
      return await this.#callOnce(call, { signal, isRefusal });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return await this.#callOnce(call, { signal, isRefusal });
    }
  }

  async #callOnce<T>(call: () => Promise<T>, { signal, isRefusal }: TokenUse): Promise<T> {
    // Where waiting gave no token, each call finds out for itself why.
    if (this.#renewal !== undefined) await untilAborted(this.#renewal.promise, signal);
    const renewal = this.#hasToken || this.#renewal ? undefined : Promise.withResolvers<void>();
    this.#renewal ??= renewal;
    const generation = this.#generation;
    try {
      return await call();
    } catch (error) {
      const isUsed = renewal !== undefined || generation === this.#generation;
      if (isRefusal(error) && isUsed) this.#entries.clear();
      throw error;
    } finally {
      if (this.#renewal === renewal) this.#renewal = undefined;
      renewal?.resolve();
    }
  }

  get #hasToken(): boolean {
    const nowMs = this.#clock.now();
    return this.#entries.values().some(({ expiresAtMs }) => expiresAtMs > nowMs);
  }
}
