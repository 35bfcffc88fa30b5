/**
 * DingTalk's rate limits, as documented: 20 calls a second for an app and each call there is, 20
 * messages a minute for a robot in a group.
 * @module
 */

import type { Clock } from "../../../actors/kernel/clock.ts";
import { Refusal } from "./refusal.ts";

const CALLS_PER_SECOND = 20;
const GROUP_PER_MINUTE = 20;

/** Counts what an app calls. */
export class Rates {
  readonly #clock: Clock;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws {Refusal} 403 */
  call(path: string): void {
    if (this.#count(path, CALLS_PER_SECOND, 1_000)) return;
    const code = "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi";
    throw new Refusal(403, code, "qps limited");
  }

  /** @throws {Refusal} 403 */
  groupMessage(conversationId: string): void {
    if (this.#count(`group ${conversationId}`, GROUP_PER_MINUTE, 60_000)) return;
    throw new Refusal(403, "130101", "send too fast, exceed 20 times per minute");
  }

  #count(key: string, most: number, windowMs: number): boolean {
    const nowMs = this.#clock.now();
    const recent = (this.#times.get(key) ?? []).filter((timeMs) => nowMs - timeMs < windowMs);
    this.#times.set(key, recent);
    if (recent.length >= most) return false;
    recent.push(nowMs);
    return true;
  }
}
