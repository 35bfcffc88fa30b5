/**
 * Rate limits: so many requests in a sliding window, for each key.
 * @module
 */

import { Refusal } from "./refusal.ts";

/** Requests per second (or minute); `Infinity` switches a limit off. */
export interface RateLimits {
  /** Messages to one user or into one group. */
  readonly messagesPerChatPerSecond: number;
  readonly messagesPerSecond: number;
  readonly messagesPerMinute: number;
  /** Operations on one card entity. */
  readonly operationsPerCardPerSecond: number;
  /** PATCH of one card message. */
  readonly patchesPerMessagePerSecond: number;
}

/** What the documentation names. */
export const DOCUMENTED_LIMITS: RateLimits = {
  messagesPerChatPerSecond: 5,
  messagesPerSecond: 50,
  messagesPerMinute: 1_000,
  operationsPerCardPerSecond: 10,
  patchesPerMessagePerSecond: 5,
};

/** For tests that are about something else. */
export const NO_LIMITS: RateLimits = {
  messagesPerChatPerSecond: Infinity,
  messagesPerSecond: Infinity,
  messagesPerMinute: Infinity,
  operationsPerCardPerSecond: Infinity,
  patchesPerMessagePerSecond: Infinity,
};

/** Counts requests by key. */
export class RateWindows {
  readonly #times = new Map<string, number[]>();

  /**
   * Counts one request.
   *
   * @throws {Refusal} 429 with 99991400 when `countMax` requests were made within `windowMs`
   */
  count(key: string, nowMs: number, countMax: number, windowMs = 1_000): void {
    if (countMax === Infinity) return;
    const recent = (this.#times.get(key) ?? []).filter((timeMs) => nowMs - timeMs < windowMs);
    this.#times.set(key, recent);
    const oldestMs = recent[0];
    if (oldestMs !== undefined && recent.length >= countMax) {
      const resetS = Math.max(1, Math.ceil((oldestMs + windowMs - nowMs) / 1_000));
      throw new Refusal(99991400, "request trigger frequency limit", {
        status: 429,
        headers: {
          "x-ogw-ratelimit-limit": String(countMax),
          "x-ogw-ratelimit-reset": String(resetS),
        },
      });
    }
    recent.push(nowMs);
  }
}
