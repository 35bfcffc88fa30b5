/**
 * The machine's own time, chance and ids.
 * @module
 */

import type { Clock, Timer } from "../clock.ts";
import type { NewId, Random } from "../random.ts";

/** The wall clock and the event loop's timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(delayMs: number, callback: () => void): Timer {
    const id = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(id) };
  },
};

/** The engine's generator. */
export const systemRandom: Random = { next: () => Math.random() };

/** Random UUIDs. */
export const systemNewId: NewId = (): string => crypto.randomUUID();
