/**
 * A turn as whoever watches sees it: one activity, whatever becomes of it.
 * @module
 */

import type { Turn, TurnEnd } from "./turn.ts";
import { type ActivityEnd, during, UNWATCHED, type Watch } from "./watch.ts";

/** Who watches, and whose turn it is. */
export interface WatchedTurnOptions {
  readonly watch: Watch | undefined;
  readonly sessionKey: string;
  readonly signal: AbortSignal;
}

/** Runs the turn; all that is logged meanwhile names it. Throws what the turn throws. */
export function runWatched(
  turn: Turn,
  { watch = UNWATCHED, sessionKey, signal }: WatchedTurnOptions,
): Promise<TurnEnd> {
  const { steps } = turn;
  const ended = ({ paused }: TurnEnd): ActivityEnd => {
    if (paused !== undefined) return { outcome: "paused" };
    return { outcome: steps.outcome ?? "empty" };
  };
  return during(watch, { kind: "turn", turnId: steps.turnId, sessionKey }, {
    work: () => turn.run(signal),
    ended,
    broke: () => ({ outcome: signal.aborted ? "stopped" : "broken" }),
  });
}
