/**
 * How many mails of one sender are answered. Two programs that answer each other would go on for
 * ever; what neither of them says shows in their number.
 * @module
 */

import { RateWindow } from "../../rate_window.ts";

const WINDOW_MS = 10 * 60_000;
/** Senders that are watched; the one who was quiet for longest is forgotten. */
const SENDERS_MAX = 1_000;

/** Counts the mails of each sender. */
export class SenderRates {
  readonly #perSenderMax: number;
  readonly #windows = new Map<string, RateWindow>();

  /** @param perSenderMax mails in ten minutes */
  constructor(perSenderMax: number) {
    this.#perSenderMax = perSenderMax;
  }

  /** Whether one more mail may be answered. @param receivedMs when it came, epoch milliseconds */
  allows(sender: string, receivedMs: number): boolean {
    return (this.#windows.get(sender)?.nextMs() ?? -Infinity) <= receivedMs;
  }

  /** Counts a mail that is answered. */
  count(sender: string, receivedMs: number): void {
    const window = this.#windows.get(sender) ?? new RateWindow(this.#perSenderMax, WINDOW_MS);
    window.count(receivedMs);
    this.#windows.delete(sender);
    this.#windows.set(sender, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > SENDERS_MAX && oldest !== undefined) this.#windows.delete(oldest);
  }
}
