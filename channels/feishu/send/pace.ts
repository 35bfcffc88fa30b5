/**
 * Keeps the app below the platform's rate limits ahead of time: messages of a chat, and messages
 * and card operations of the app. One for all that a channel sends.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { RateWindow, takeTurn } from "../../rate_window.ts";

/** Documented as 5 a second for a chat, 50 a second and 1000 a minute for an app; others send too. */
const CHAT_PER_SECOND = 4;
const APP_PER_SECOND = 45;
const APP_PER_MINUTE = 900;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Chats whose last second is remembered; silent ones go first. */
const CHATS_MAX = 1_000;

/** The pace of one channel; its calls wait in the order in which they come due. */
export class SendPace {
  readonly #clock: Clock;
  readonly #messages = [
    new RateWindow(APP_PER_SECOND, SECOND_MS),
    new RateWindow(APP_PER_MINUTE, MINUTE_MS),
  ];
  readonly #cards = [new RateWindow(APP_PER_SECOND, SECOND_MS)];
  readonly #chats = new Map<string, RateWindow>();
  /** Until when the platform asked for quiet, by chat. */
  readonly #chatHolds = new Map<string, number>();
  #appHeldUntilMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until a message may go to a chat, and counts it.
   *
   * @throws the signal's reason when it aborts first
   */
  message(chatId: string, signal: AbortSignal): Promise<void> {
    const windows = [...this.#messages, this.#chat(chatId)];
    return this.#turn(windows, () => this.#chatHolds.get(chatId) ?? -Infinity, signal);
  }

  /** Waits until a card may be made or changed, and counts it. */
  card(signal: AbortSignal): Promise<void> {
    return this.#turn(this.#cards, () => -Infinity, signal);
  }

  /** The platform refused for the chat's rate. */
  holdChat(chatId: string, delayMs: number): void {
    const nowMs = this.#clock.now();
    for (const [id, untilMs] of this.#chatHolds) {
      if (untilMs <= nowMs) this.#chatHolds.delete(id);
    }
    const heldUntilMs = this.#chatHolds.get(chatId) ?? -Infinity;
    this.#chatHolds.set(chatId, Math.max(heldUntilMs, nowMs + delayMs));
  }

  /** The platform refused for the app's rate. */
  holdApp(delayMs: number): void {
    this.#appHeldUntilMs = Math.max(this.#appHeldUntilMs, this.#clock.now() + delayMs);
  }

  #turn(
    windows: readonly RateWindow[],
    heldUntilMs: () => number,
    signal: AbortSignal,
  ): Promise<void> {
    const untilMs = (): number => Math.max(this.#appHeldUntilMs, heldUntilMs());
    return takeTurn(this.#clock, windows, untilMs, signal);
  }

  #chat(chatId: string): RateWindow {
    const known = this.#chats.get(chatId) ?? new RateWindow(CHAT_PER_SECOND, SECOND_MS);
    this.#chats.set(chatId, known);
    if (this.#chats.size > CHATS_MAX) {
      const nowMs = this.#clock.now();
      for (const [id, window] of this.#chats) {
        if (id !== chatId && window.isIdle(nowMs)) this.#chats.delete(id);
      }
    }
    return known;
  }
}
