/**
 * Keeps the bot below Telegram's rate limits ahead of time: those of a chat, of a group, and of all
 * together. One for all that a channel sends.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { ChatHolds, ChatWindows, RateWindow, takeTurn } from "../../rate_window.ts";

/**
 * Documented as one a second for a chat, with short bursts allowed, 20 a minute for a group, and 30 a
 * second for the bot (https://core.telegram.org/bots/faq).
 */
const CHAT_PER_WINDOW = 5;
const CHAT_WINDOW_MS = 5_500;
const GROUP_PER_MINUTE = 18;
const BOT_PER_SECOND = 27;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** The pace of one bot. */
export class SendPace {
  readonly #clock: Clock;
  readonly #bot = new RateWindow(BOT_PER_SECOND, SECOND_MS);
  readonly #chats = new ChatWindows(() => new RateWindow(CHAT_PER_WINDOW, CHAT_WINDOW_MS));
  readonly #groups = new ChatWindows(() => new RateWindow(GROUP_PER_MINUTE, MINUTE_MS));
  readonly #holds = new ChatHolds();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Makes a message go to a chat when it may. It counts from its answer on: only then is it sure
   * that Telegram has counted it.
   *
   * @throws the signal's reason when it aborts first, and what `send` throws
   */
  message<Result>(
    chatId: string,
    signal: AbortSignal,
    send: () => Promise<Result>,
  ): Promise<Result> {
    const nowMs = this.#clock.now();
    const windows = [this.#bot, this.#chats.of(chatId, nowMs)];
    if (isGroup(chatId)) windows.push(this.#groups.of(chatId, nowMs));
    return this.#inTurn(chatId, windows, signal, send);
  }

  /**
   * The same for a change of a message: in groups changes count as well.
   *
   * @throws the signal's reason when it aborts first, and what `change` throws
   */
  change<Result>(
    chatId: string,
    signal: AbortSignal,
    change: () => Promise<Result>,
  ): Promise<Result> {
    const windows = isGroup(chatId)
      ? [this.#bot, this.#groups.of(chatId, this.#clock.now())]
      : [this.#bot];
    return this.#inTurn(chatId, windows, signal, change);
  }

  /** Telegram refused for the rate. */
  hold(chatId: string, delayMs: number): void {
    this.#holds.hold(chatId, delayMs, this.#clock.now());
  }

  async #inTurn<Result>(
    chatId: string,
    windows: readonly RateWindow[],
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const heldUntilMs = (): number => this.#holds.untilMs(chatId);
    await takeTurn(this.#clock, windows, heldUntilMs, signal);
    try {
      return await work();
    } finally {
      for (const window of windows) window.answered(this.#clock.now());
    }
  }
}

/** Ids of groups are negative; so are names of public ones no numbers. */
export function isGroup(chatId: string): boolean {
  return chatId.startsWith("-") || chatId.startsWith("@");
}
