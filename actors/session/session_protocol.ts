/**
 * What a session actor understands.
 * @module
 */

import type { Outcome } from "../kernel/actor.ts";
import type { CommandNews } from "./command_course.ts";
import type { RunEnd } from "./consolidator.ts";
import type { GoalLook } from "./goal/goal_desk.ts";
import type { Waiting } from "./incoming.ts";
import type { PermitNews, SessionMessage } from "./ports.ts";
import type { Awakened } from "./recovery.ts";
import type { SubagentStopped } from "./subagents/subagent_desk.ts";
import type { TurnEnd } from "./turn.ts";

/** News of a session's own work. */
export type SessionNews =
  | { readonly type: "woken"; readonly outcome: Outcome<Awakened> }
  | { readonly type: "looked"; readonly outcome: Outcome<Waiting> }
  | { readonly type: "turn_ended"; readonly outcome: Outcome<TurnEnd> }
  | CommandNews
  | { readonly type: "answer_taken"; readonly outcome: Outcome<void> }
  | { readonly type: "withdrawn"; readonly outcome: Outcome<boolean> }
  | { readonly type: "upkeep_ended"; readonly outcome: Outcome<RunEnd> }
  | SubagentStopped
  | { readonly type: "subagent_reported"; readonly outcome: Outcome<void> }
  | { readonly type: "goal_looked"; readonly outcome: Outcome<GoalLook> }
  | { readonly type: "goal_due" }
  | { readonly type: "idle_elapsed" }
  | { readonly type: "resume_due" };

/** All that a session understands: what the router and the gate tell it, and its own news. */
export type SessionActorMessage = SessionMessage | PermitNews | SessionNews;

/** Two messages that cannot both wait become one look into the journal, which has what both tell. */
export function mergeIntoWake(
  waiting: SessionActorMessage,
  incoming: SessionActorMessage,
): SessionActorMessage | undefined {
  return isOfRouter(waiting) && isOfRouter(incoming) ? { type: "wake" } : undefined;
}

function isOfRouter({ type }: SessionActorMessage): boolean {
  return type === "inbound_accepted" || type === "wake";
}
