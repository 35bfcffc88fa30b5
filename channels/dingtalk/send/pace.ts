/**
 * Keeps the robot below DingTalk's rate limits ahead of time: one for all that a channel sends.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { ChatHolds, ChatWindows, RateWindow, takeTurn } from "../../rate_window.ts";

/**
 * Documented as 20 calls a second for an app and each call there is
 * (https://open.dingtalk.com/document/orgapp/invocation-frequency-limit), and 20 messages a minute
 * for a robot in a group (https://open.dingtalk.com/document/orgapp/robot-overview).
 */
const CALLS_PER_SECOND = 18;
const GROUP_PER_MINUTE = 18;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** A call that has a limit of its own. */
export type PacedCall = "groupMessages" | "oToMessages" | "reaction" | "upload";

/** The pace of one robot. */
export class SendPace {
  readonly #clock: Clock;
  readonly #calls: Readonly<Record<PacedCall, RateWindow>> = {
    groupMessages: new RateWindow(CALLS_PER_SECOND, SECOND_MS),
    oToMessages: new RateWindow(CALLS_PER_SECOND, SECOND_MS),
    reaction: new RateWindow(CALLS_PER_SECOND / 2, SECOND_MS),
    upload: new RateWindow(CALLS_PER_SECOND, SECOND_MS),
  };
  readonly #groups = new ChatWindows(() => new RateWindow(GROUP_PER_MINUTE, MINUTE_MS));
  readonly #holds = new ChatHolds();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Makes a message go out when it may. It counts from its answer on: only then is it sure that
   * DingTalk has counted it.
   *
   * @throws the signal's reason when it aborts first, and what `send` throws
   */
  message<T>(
    chatId: string,
    isGroup: boolean,
    signal: AbortSignal,
    send: () => Promise<T>,
  ): Promise<T> {
    const windows = isGroup
      ? [this.#calls.groupMessages, this.#groups.of(chatId, this.#clock.now())]
      : [this.#calls.oToMessages];
    return this.#inTurn(windows, () => this.#holds.untilMs(chatId), signal, send);
  }

  /** The same for a call that is no message. */
  call<T>(kind: PacedCall, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#inTurn([this.#calls[kind]], () => -Infinity, signal, work);
  }

  /** DingTalk refused for the rate. */
  hold(chatId: string, delayMs: number): void {
    this.#holds.hold(chatId, delayMs, this.#clock.now());
  }

  async #inTurn<T>(
    windows: readonly RateWindow[],
    heldUntilMs: () => number,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    await takeTurn(this.#clock, windows, heldUntilMs, signal);
    try {
      return await work();
    } finally {
      for (const window of windows) window.answered(this.#clock.now());
    }
  }
}
