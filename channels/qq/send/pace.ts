/**
 * Keeps the bot below QQ's rate limits ahead of time. One for all that a channel sends.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { ChatHolds, ChatWindows, RateWindow, takeTurn } from "../../rate_window.ts";

/**
 * Documented as 5 pushes a second and 30 a minute for a bot whose owner is not verified, 20 a minute
 * for a chat, and 5 messages a second in a channel of a guild
 * (https://bot.q.qq.com/wiki/develop/api-v2/server-inter/message/overview.html).
 */
const BOT_PUSHES_PER_MINUTE = 28;
const CHAT_PUSHES_PER_MINUTE = 18;
const CHAT_PER_SECOND = 4;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** What goes out. */
export interface Outgoing {
  readonly chatId: string;
  /** It answers nothing. */
  readonly isPush: boolean;
}

/** The pace of one bot. */
export class SendPace {
  readonly #clock: Clock;
  readonly #pushes = new RateWindow(BOT_PUSHES_PER_MINUTE, MINUTE_MS);
  readonly #chatPushes = new ChatWindows(() => new RateWindow(CHAT_PUSHES_PER_MINUTE, MINUTE_MS));
  readonly #chats = new ChatWindows(() => new RateWindow(CHAT_PER_SECOND, SECOND_MS));
  readonly #holds = new ChatHolds();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Makes a message go out when it may. It counts from its answer on: only then is it sure that the
   * platform has counted it.
   *
   * @throws the signal's reason when it aborts first, and what `send` throws
   */
  async run<Result>(
    { chatId, isPush }: Outgoing,
    signal: AbortSignal,
    send: () => Promise<Result>,
  ): Promise<Result> {
    const nowMs = this.#clock.now();
    const windows = [this.#chats.of(chatId, nowMs)];
    if (isPush) windows.push(this.#pushes, this.#chatPushes.of(chatId, nowMs));
    await takeTurn(this.#clock, windows, () => this.#holds.untilMs(chatId), signal);
    try {
      return await send();
    } finally {
      for (const window of windows) window.answered(this.#clock.now());
    }
  }

  /** The platform refused for the rate. */
  hold(chatId: string, delayMs: number): void {
    this.#holds.hold(chatId, delayMs, this.#clock.now());
  }
}
