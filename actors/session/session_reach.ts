/**
 * What the tools of a session reach of it.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import type { SessionReach } from "./call_runner.ts";
import type { GoalDesk } from "./goal/goal_desk.ts";
import { ownState, type OwnStateOptions } from "./own_state.ts";
import type { TurnPermit } from "./turn_permit.ts";

/** What it is made of. */
export interface ReachOptions extends OwnStateOptions {
  readonly permit: Pick<TurnPermit, "ensure">;
  readonly goals: GoalDesk;
}

/** The reach of a turn of `home`. */
export function reachOf(home: Inbound, { permit, goals, ...state }: ReachOptions): SessionReach {
  const { subagents, log } = state;
  return {
    tools: {
      subagents: subagents.starter(home, log),
      own: ownState(state),
      goal: goals.reach(log),
    },
    ensurePermit: (signal) => permit.ensure(signal),
  };
}
