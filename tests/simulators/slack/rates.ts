/**
 * Slack's documented rate limits. Who oversteps one is refused, and the test is told.
 * @module
 */

import { Refusal } from "./refusal.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Calls a minute of the tiers that the documentation names, by method. */
const PER_MINUTE: Readonly<Record<string, number>> = {
  "chat.update": 50,
  "chat.delete": 50,
  "reactions.add": 50,
  "reactions.remove": 20,
  "conversations.history": 50,
  "conversations.replies": 50,
  "conversations.list": 20,
  "conversations.open": 50,
  "users.list": 20,
  "users.info": 100,
  "users.conversations": 50,
  "files.getUploadURLExternal": 100,
  "files.completeUploadExternal": 100,
  "files.info": 100,
};

/** Counts calls. */
export class Rates {
  /** What was overstepped, in words. */
  readonly breaches: string[] = [];
  readonly #times = new Map<string, number[]>();

  /** Counts a call of a method. @throws {Refusal} when there were too many */
  count(method: string, channel: string, nowMs: number): void {
    if (method === "chat.postMessage") {
      this.#count(`${method} in ${channel}`, nowMs, { callsMax: 1, windowMs: SECOND_MS });
    }
    const callsMax = PER_MINUTE[method];
    if (callsMax !== undefined) this.#count(method, nowMs, { callsMax, windowMs: MINUTE_MS });
  }

  #count(
    key: string,
    nowMs: number,
    { callsMax, windowMs }: { readonly callsMax: number; readonly windowMs: number },
  ): void {
    const recent = (this.#times.get(key) ?? []).filter((atMs) => nowMs - atMs < windowMs);
    this.#times.set(key, recent);
    if (recent.length >= callsMax) {
      this.breaches.push(`${key}: more than ${callsMax} in ${windowMs} ms`);
      throw new Refusal("ratelimited", { retryAfterS: Math.ceil(windowMs / SECOND_MS) });
    }
    recent.push(nowMs);
  }
}
