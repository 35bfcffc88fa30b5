/**
 * Rate limits by bucket, as the platform counts them and tells of them.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { Refusal } from "./refusal.ts";

/** So many calls in so long a time. */
export interface Rate {
  readonly callsMax: number;
  readonly windowMs: number;
}

/** What is known of the platform's rates; they are told in each answer. */
export const RATES: Readonly<Record<string, Rate>> = {
  "message.create": { callsMax: 5, windowMs: 5_000 },
  "message.edit": { callsMax: 5, windowMs: 5_000 },
  "message.delete": { callsMax: 5, windowMs: 1_000 },
  "reaction.add": { callsMax: 1, windowMs: 250 },
  "reaction.remove": { callsMax: 1, windowMs: 250 },
};

/** Documented for all calls of a bot together. */
const ALL: Rate = { callsMax: 50, windowMs: 1_000 };

/** Counts calls. */
export class Rates {
  /** Calls that came too early. */
  readonly breaches: string[] = [];
  readonly #clock: Clock;
  readonly #windows = new Map<string, { calls: number; resetMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a call.
   *
   * @returns what the answer says about its rate
   * @throws {Refusal} one too many
   */
  count(route: string, major: string): Readonly<Record<string, string>> {
    this.#take("all", "", ALL);
    const rate = RATES[route];
    return rate === undefined ? {} : this.#take(route, major, rate);
  }

  #take(
    route: string,
    major: string,
    { callsMax, windowMs }: Rate,
  ): Readonly<Record<string, string>> {
    const nowMs = this.#clock.now();
    const key = `${route} ${major}`;
    const known = this.#windows.get(key);
    const window = known !== undefined && known.resetMs > nowMs
      ? known
      : { calls: 0, resetMs: nowMs + windowMs };
    this.#windows.set(key, window);
    const resetAfter = ((window.resetMs - nowMs) / 1_000).toFixed(3);
    const headers = {
      "x-ratelimit-bucket": `bucket-of-${route}`,
      "x-ratelimit-limit": String(callsMax),
      "x-ratelimit-remaining": String(Math.max(0, callsMax - window.calls - 1)),
      "x-ratelimit-reset-after": resetAfter,
    };
    if (window.calls < callsMax) {
      window.calls++;
      return headers;
    }
    this.breaches.push(`${route} ${major}`.trim());
    throw tooMany(window.resetMs - nowMs, route === "all", headers);
  }
}

/** The platform's word about a call that came too early. */
export function tooMany(
  retryAfterMs: number,
  isForAll: boolean,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  const seconds = retryAfterMs / 1_000;
  return new Refusal(429, 0, "You are being rate limited.", {
    details: { retry_after: seconds, global: isForAll },
    headers: {
      ...headers,
      "retry-after": String(Math.ceil(seconds)),
      ...(isForAll && { "x-ratelimit-global": "true" }),
    },
  });
}
