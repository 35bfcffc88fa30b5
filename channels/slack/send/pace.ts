/**
 * Keeps the app below Slack's rate limits ahead of time. One for all that a channel sends.
 * @module
 */

import { type Clock, sleep } from "../../../actors/kernel/clock.ts";
import { ChatHolds, ChatWindows, RateWindow, takeTurn } from "../../rate_window.ts";

const MINUTE_MS = 60_000;
/** Documented as one message a second and channel; clocks differ. */
const CHANNEL_WINDOW_MS = 1_050;
/** Documented as several hundred a minute. */
const MESSAGES_PER_MINUTE = 200;
/** Changes are documented as 50 a minute and more, for all messages of the app. */
const CHANGES_PER_MINUTE = 45;

/** A message that grows; dispose of it when its last change was made. */
export interface Growth extends Disposable {
  /** Counts a change that can be left out; false: it must be, this time. */
  mayChange(): boolean;
}

/** The pace of one channel. */
export class SendPace {
  readonly #clock: Clock;
  readonly #messages = new RateWindow(MESSAGES_PER_MINUTE, MINUTE_MS);
  readonly #channels = new ChatWindows(() => new RateWindow(1, CHANNEL_WINDOW_MS));
  readonly #holds = new ChatHolds();
  #changes: number[] = [];
  #changesHeldUntilMs = -Infinity;
  /** Messages that grow: each still needs its last change. */
  #growing = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits until a message may go to a channel, and counts it. @throws the signal's reason */
  message(channel: string, signal: AbortSignal): Promise<void> {
    const windows = [this.#messages, this.#channels.of(channel, this.#clock.now())];
    const heldUntilMs = (): number => this.#holds.untilMs(channel);
    return takeTurn(this.#clock, windows, heldUntilMs, signal);
  }

  /** A message was answered: only from then on is it sure that Slack has counted it. */
  answered(channel: string): void {
    const nowMs = this.#clock.now();
    this.#channels.of(channel, nowMs).answered(nowMs);
  }

  /** Waits until a change that must be made may go out, and counts it. @throws the signal's reason */
  async change(signal: AbortSignal): Promise<void> {
    for (;;) {
      const nowMs = this.#clock.now();
      const used = this.#changesUntil(nowMs);
      const oldestMs = used.at(-CHANGES_PER_MINUTE);
      const dueMs = Math.max(this.#changesHeldUntilMs, (oldestMs ?? -Infinity) + MINUTE_MS);
      if (dueMs <= nowMs) return this.#countChange(nowMs);
      await sleep(this.#clock, dueMs - nowMs, signal);
    }
  }

  /** Begins a message that grows; null while others need all changes there are. */
  grow(): Growth | null {
    if (!this.#hasRoom()) return null;
    this.#growing++;
    let isOpen = true;
    return {
      mayChange: () => {
        if (!isOpen || !this.#hasRoom()) return false;
        this.#countChange(this.#clock.now());
        return true;
      },
      [Symbol.dispose]: () => {
        if (isOpen) this.#growing--;
        isOpen = false;
      },
    };
  }

  /** Slack refused a message for its rate. */
  holdChannel(channel: string, delayMs: number): void {
    this.#holds.hold(channel, delayMs, this.#clock.now());
  }

  /** Slack refused a change for its rate. */
  holdChanges(delayMs: number): void {
    this.#changesHeldUntilMs = Math.max(this.#changesHeldUntilMs, this.#clock.now() + delayMs);
  }

  /** Whether there is a change to spare beside the last one of each message that grows. */
  #hasRoom(): boolean {
    const nowMs = this.#clock.now();
    const used = this.#changesUntil(nowMs).length;
    return nowMs >= this.#changesHeldUntilMs && used + this.#growing + 1 <= CHANGES_PER_MINUTE;
  }

  #countChange(nowMs: number): void {
    this.#changes.push(nowMs);
  }

  /** The changes that still count. */
  #changesUntil(nowMs: number): readonly number[] {
    this.#changes = this.#changes.filter((atMs) => nowMs - atMs < MINUTE_MS);
    return this.#changes;
  }
}
