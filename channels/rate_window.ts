/**
 * Rate limits, kept ahead of time.
 * @module
 */

import { type Clock, sleep } from "../actors/kernel/clock.ts";

/** At most so many calls in any stretch of `windowMs`. */
export class RateWindow {
  readonly #callsMax: number;
  readonly #windowMs: number;
  readonly #times: number[] = [];

  constructor(callsMax: number, windowMs: number) {
    this.#callsMax = callsMax;
    this.#windowMs = windowMs;
  }

  /** When the next call may go out; epoch milliseconds. */
  nextMs(): number {
    const oldestMs = this.#times.at(-this.#callsMax);
    return oldestMs === undefined ? -Infinity : oldestMs + this.#windowMs;
  }

  /** A call goes out. */
  count(nowMs: number): void {
    this.#times.push(nowMs);
    if (this.#times.length > this.#callsMax) this.#times.shift();
  }

  /** The last call was counted by the platform at some time until now: the latest one is sure. */
  answered(nowMs: number): void {
    if (this.#times.length > 0) this.#times[this.#times.length - 1] = nowMs;
  }

  /** Whether nothing of the past counts any more. */
  isIdle(nowMs: number): boolean {
    return nowMs - (this.#times.at(-1) ?? -Infinity) >= this.#windowMs;
  }
}

/** Chats whose past is remembered; silent ones go first. */
const CHATS_MAX = 1_000;

/** A window for each chat. */
export class ChatWindows {
  readonly #make: () => RateWindow;
  readonly #windows = new Map<string, RateWindow>();

  /** @param make the window of a chat that nothing was sent to */
  constructor(make: () => RateWindow) {
    this.#make = make;
  }

  /** The window of a chat. */
  of(chatId: string, nowMs: number): RateWindow {
    const window = this.#windows.get(chatId) ?? this.#make();
    this.#windows.set(chatId, window);
    if (this.#windows.size > CHATS_MAX) {
      for (const [id, other] of this.#windows) {
        if (id !== chatId && other.isIdle(nowMs)) this.#windows.delete(id);
      }
    }
    return window;
  }
}

/** Until when a platform asked for quiet, by chat. */
export class ChatHolds {
  readonly #untilMs = new Map<string, number>();

  /** The platform refused for a chat's rate; the longest time asked for counts. */
  hold(chatId: string, delayMs: number, nowMs: number): void {
    for (const [id, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(id);
    this.#untilMs.set(chatId, Math.max(this.untilMs(chatId), nowMs + delayMs));
  }

  /** Epoch milliseconds; minus infinity where nothing is held. */
  untilMs(chatId: string): number {
    return this.#untilMs.get(chatId) ?? -Infinity;
  }
}

/**
 * Waits until a call may go out by all of `windows`, and counts it; calls that wait together go out
 * in the order in which they come due.
 *
 * @param heldUntilMs until when the platform asked for quiet, epoch milliseconds; asked anew
 * @throws the signal's reason when it aborts first
 */
export async function takeTurn(
  clock: Clock,
  windows: readonly RateWindow[],
  heldUntilMs: () => number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const nowMs = clock.now();
    const dueMs = Math.max(heldUntilMs(), ...windows.map((window) => window.nextMs()));
    if (dueMs <= nowMs) {
      for (const window of windows) window.count(nowMs);
      return;
    }
    await sleep(clock, dueMs - nowMs, signal);
  }
}
