/**
 * Tokens that many calls, in several processes, use at once: one of them renews, all others get
 * what it got.
 * @module
 */

import type { Clock } from "../../actors/kernel/clock.ts";
import { SignInError } from "./errors.ts";
import type { TokenFile } from "./token_file.ts";

/** Tokens with less time left than this are renewed before they are used. */
const RENEW_BEFORE_MS = 60_000;

/** What sharing needs. */
export interface SharedTokensOptions<T> {
  readonly file: TokenFile<T>;
  readonly clock: Clock;
  /** Until when tokens are good, epoch milliseconds; 0 when they must be renewed first. */
  readonly expiresAtMs: (tokens: T) => number;
  /** Gets new tokens; throws {@link SignInError}. */
  readonly renew: (tokens: T) => Promise<T>;
  /** Where else tokens may be when the file has none. */
  readonly fallback?: () => Promise<T | null>;
  /** How to sign in, for people. */
  readonly howTo: string;
}

/** The tokens of one sign-in. */
export class SharedTokens<T> {
  readonly #options: SharedTokensOptions<T>;
  #current: T | undefined;
  #rejected: T | undefined;
  #renewing: Promise<T> | undefined;

  constructor(options: SharedTokensOptions<T>) {
    this.#options = options;
  }

  /**
   * Tokens that are good for a while.
   *
   * @throws {SignInError}
   */
  async get(): Promise<T> {
    if (this.#current !== undefined && this.#isFresh(this.#current)) return this.#current;
    this.#renewing ??= this.#renewShared().finally(() => this.#renewing = undefined);
    return await this.#renewing;
  }

  /** The server did not take these, whatever they say about themselves. */
  reject(tokens: T): void {
    this.#rejected = tokens;
    if (this.#current === tokens) this.#current = undefined;
  }

  async #renewShared(): Promise<T> {
    const { file } = this.#options;
    this.#current = await file.locked(async () => {
      const stored = await file.read() ?? await this.#options.fallback?.() ?? null;
      if (stored === null) throw new SignInError("sign_in_missing", this.#options.howTo);
      // Another process may have been first.
      if (this.#isFresh(stored) && !this.#isRejected(stored)) return stored;
      return await this.#renewed(stored);
    });
    return this.#current;
  }

  async #renewed(stored: T): Promise<T> {
    const { file, renew, expiresAtMs, clock } = this.#options;
    try {
      const tokens = await renew(stored);
      await file.write(tokens);
      return tokens;
    } catch (error) {
      const isStillGood = expiresAtMs(stored) > clock.now() && !this.#isRejected(stored);
      if (error instanceof SignInError && isStillGood) return stored;
      throw error;
    }
  }

  #isFresh(tokens: T): boolean {
    return this.#options.expiresAtMs(tokens) - this.#options.clock.now() > RENEW_BEFORE_MS;
  }

  #isRejected(tokens: T): boolean {
    return JSON.stringify(tokens) === JSON.stringify(this.#rejected);
  }
}
