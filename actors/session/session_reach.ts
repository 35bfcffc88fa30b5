/**
 * What the tools of a session reach of it.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import type { SessionReach } from "./call_runner.ts";
import { ownState, type OwnStateOptions } from "./own_state.ts";
import type { TurnPermit } from "./turn_permit.ts";

/** What it is made of. */
export interface ReachOptions extends OwnStateOptions {
  readonly permit: Pick<TurnPermit, "ensure">;
}

/** The reach of a turn of `home`. */
export function reachOf(home: Inbound, { permit, ...state }: ReachOptions): SessionReach {
  const { subagents, log } = state;
  return {
    tools: { subagents: subagents.starter(home, log), own: ownState(state) },
    ensurePermit: (signal) => permit.ensure(signal),
  };
}
