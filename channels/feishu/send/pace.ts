/**
 * Keeps the app below the platform's rate limits ahead of time: messages of a chat, and messages
 * and card operations of the app. One for all that a channel sends.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { ChatHolds, ChatWindows, RateWindow, takeTurn } from "../../rate_window.ts";

/** Documented as 5 a second for a chat, 50 a second and 1000 a minute for an app; others send too. */
const CHAT_PER_SECOND = 4;
const APP_PER_SECOND = 45;
const APP_PER_MINUTE = 900;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** The pace of one channel; its calls wait in the order in which they come due. */
export class SendPace {
  readonly #clock: Clock;
  readonly #messages = [
    new RateWindow(APP_PER_SECOND, SECOND_MS),
    new RateWindow(APP_PER_MINUTE, MINUTE_MS),
  ];
  readonly #cards = [new RateWindow(APP_PER_SECOND, SECOND_MS)];
  readonly #chats = new ChatWindows(() => new RateWindow(CHAT_PER_SECOND, SECOND_MS));
  readonly #chatHolds = new ChatHolds();
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
    const windows = [...this.#messages, this.#chats.of(chatId, this.#clock.now())];
    return this.#turn(windows, () => this.#chatHolds.untilMs(chatId), signal);
  }

  /** Waits until a card may be made or changed, and counts it. */
  card(signal: AbortSignal): Promise<void> {
    return this.#turn(this.#cards, () => -Infinity, signal);
  }

  /** The platform refused for the chat's rate. */
  holdChat(chatId: string, delayMs: number): void {
    this.#chatHolds.hold(chatId, delayMs, this.#clock.now());
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
}
