/**
 * Where the SDK keeps the app's token: one cache a link, so that a refused token can be dropped
 * and two links never share one (the SDK's own cache is global).
 * @module
 */

import type { Cache } from "@larksuiteoapi/node-sdk";

/** The SDK's cache for one app. */
export class TokenCache implements Cache {
  readonly #entries = new Map<unknown, { readonly value: unknown; readonly expiresAtMs: number }>();

  get(key: string | symbol | object): Promise<unknown> {
    const entry = this.#entries.get(key);
    return Promise.resolve(
      entry !== undefined && entry.expiresAtMs > Date.now() ? entry.value : undefined,
    );
  }

  set(key: string | symbol | object, value: unknown, expire?: number): Promise<boolean> {
    this.#entries.set(key, { value, expiresAtMs: expire ?? Infinity });
    return Promise.resolve(true);
  }

  /** Forgets everything: the next call asks for a new token. */
  clear(): void {
    this.#entries.clear();
  }
}
