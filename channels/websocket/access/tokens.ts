/**
 * Short-lived tokens that were issued: for one handshake each, or for the REST surface.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { fingerprint } from "./secrets.ts";

/** Tokens that nobody has used and that have not expired. */
const OUTSTANDING_MAX = 10_000;
const PREFIX = "nbwt_";

/** What a token is good for. */
export interface Grant {
  /** Ends at, epoch milliseconds. */
  readonly expiresAtMs: number;
  /** The only client that may connect with it; null for any. */
  readonly clientId: string | null;
  /** It also opens the REST surface, again and again, until it expires. */
  readonly opensApi: boolean;
  /** It has been used to connect. */
  readonly isSpent: boolean;
}

/** How tokens are made. */
export interface TokensOptions {
  readonly clock: Pick<Clock, "now">;
  readonly ttlMs: number;
  readonly newSecret: () => string;
}

/** Issues tokens, and knows those that are out. They are kept as fingerprints. */
export class Tokens {
  readonly #options: TokensOptions;
  /** Oldest first, which is the order in which they expire. */
  readonly #grants = new Map<string, Grant>();

  constructor(options: TokensOptions) {
    this.#options = options;
  }

  /** How many are out. */
  get size(): number {
    this.#purge();
    return this.#grants.size;
  }

  /** A new token; null when too many are out. */
  issue({ clientId, opensApi }: Pick<Grant, "clientId" | "opensApi">): string | null {
    this.#purge();
    if (this.#grants.size >= OUTSTANDING_MAX) return null;
    const { clock, ttlMs, newSecret } = this.#options;
    const token = PREFIX + newSecret();
    const expiresAtMs = clock.now() + ttlMs;
    this.#grants.set(fingerprint(token), { expiresAtMs, clientId, opensApi, isSpent: false });
    return token;
  }

  /** Uses a token for a handshake. @returns whether it was good for this client */
  spend(token: string, clientId: string): boolean {
    this.#purge();
    const key = fingerprint(token);
    const grant = this.#grants.get(key);
    if (grant === undefined || grant.isSpent) return false;
    if (grant.clientId !== null && grant.clientId !== clientId) return false;
    if (grant.opensApi) this.#grants.set(key, { ...grant, isSpent: true });
    else this.#grants.delete(key);
    return true;
  }

  /** Whether a token opens the REST surface. */
  opensApi(token: string): boolean {
    this.#purge();
    return this.#grants.get(fingerprint(token))?.opensApi === true;
  }

  #purge(): void {
    const nowMs = this.#options.clock.now();
    for (const [key, { expiresAtMs }] of this.#grants) {
      if (expiresAtMs > nowMs) return;
      this.#grants.delete(key);
    }
  }
}
