/**
 * The machine's own time, chance and ids.
 * @module
 */

import type { Clock, Timer } from "../clock.ts";
import type { NewId, Random } from "../random.ts";

/** Longest delay that `setTimeout` takes; it fires at once for more. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;

/** The wall clock and the event loop's timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(delayMs: number, callback: () => void): Timer {
    if (delayMs > TIMEOUT_MAX_MS) return longTimer(delayMs, callback);
    const id = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(id) };
  },
};

/** The engine's generator. */
export const systemRandom: Random = { next: () => Math.random() };

/** Random UUIDs. */
export const systemNewId: NewId = (): string => crypto.randomUUID();

/** A timer beyond what `setTimeout` takes, in several legs. */
function longTimer(delayMs: number, callback: () => void): Timer {
  let leftMs = delayMs;
  let id = setTimeout(nextLeg, TIMEOUT_MAX_MS);
  function nextLeg(): void {
    leftMs -= TIMEOUT_MAX_MS;
    id = leftMs > TIMEOUT_MAX_MS
      ? setTimeout(nextLeg, TIMEOUT_MAX_MS)
      : setTimeout(callback, leftMs);
  }
  return { cancel: () => clearTimeout(id) };
}
