/**
 * Telegram's rate limits, as its FAQ names them: about one message a second for a chat with short
 * bursts, 20 a minute for a group, 30 a second for the bot.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { Refusal } from "./refusal.ts";

const BURST = 5;
const BURST_MS = 5_000;
const GROUP_PER_MINUTE = 20;
const BOT_PER_SECOND = 30;

/** Counts what a bot sends. */
export class Rates {
  readonly #clock: Clock;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws {Refusal} 429 */
  send(chatId: number): void {
    this.#count("bot", BOT_PER_SECOND, 1_000);
    this.#count(`chat ${chatId}`, BURST, BURST_MS);
    if (chatId < 0) this.#count(`group ${chatId}`, GROUP_PER_MINUTE, 60_000);
  }

  /** @throws {Refusal} 429 */
  edit(chatId: number): void {
    this.#count("bot", BOT_PER_SECOND, 1_000);
    if (chatId < 0) this.#count(`group ${chatId}`, GROUP_PER_MINUTE, 60_000);
  }

  #count(key: string, most: number, windowMs: number): void {
    const nowMs = this.#clock.now();
    const recent = (this.#times.get(key) ?? []).filter((timeMs) => nowMs - timeMs < windowMs);
    this.#times.set(key, recent);
    const [oldestMs] = recent;
    if (oldestMs !== undefined && recent.length >= most) {
      const seconds = Math.ceil((oldestMs + windowMs - nowMs) / 1_000);
      throw new Refusal(429, `Too Many Requests: retry after ${seconds}`, {
        retry_after: seconds,
      });
    }
    recent.push(nowMs);
  }
}
