/**
 * The times that a turn goes by. They are asked for here, and not from the clock, so that a replay
 * gives each of them as it was, whatever else looks at the clock meanwhile.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";

/** Gives times to one turn. */
export interface TurnTimes {
  /** When these messages are read, in epoch milliseconds: asked for once, before they are. */
  reading(inbounds: readonly Inbound[]): number;
  /** A round of tools begins; what it gives is to be asked once the round is over. */
  round(): () => number;
  /** A call has its result: settles when that may be kept. @default at once */
  ended?(callId: string, signal: AbortSignal): Promise<void>;
}

/** Times as they are. */
export function timesBy(clock: Pick<Clock, "now">): TurnTimes {
  return {
    reading: () => clock.now(),
    round: () => {
      const startedAtMs = clock.now();
      return () => clock.now() - startedAtMs;
    },
  };
}
