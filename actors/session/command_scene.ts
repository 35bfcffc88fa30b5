/**
 * What a slash command is carried out with.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import type { ApprovalDesk } from "./approval_desk.ts";
import type { SpentBudget } from "./budgets.ts";
import type { CommandName } from "./command_table.ts";
import type { GoalDesk } from "./goal/goal_desk.ts";
import type { UnfinishedTurn } from "./interruption.ts";
import type { SessionServices } from "./ports.ts";
import type { SessionLog } from "./session_log.ts";
import type { SessionMemory } from "./session_memory.ts";
import type { SubagentDesk } from "./subagents/subagent_desk.ts";
import type { Upkeep } from "./upkeep.ts";

/** A command and what it may look at and change. */
export interface CommandScene {
  readonly name: CommandName;
  /** What follows the name; "" for nothing. */
  readonly argument: string;
  readonly command: Inbound;
  readonly services: SessionServices;
  readonly log: SessionLog;
  readonly memory: SessionMemory;
  /** The session's turn. Whoever runs `stop`, `undo` or `new` has aborted its work and waited for its end. */
  readonly turn: UnfinishedTurn | undefined;
  /** What the turn waits for. */
  readonly paused: SpentBudget | undefined;
  readonly desk: ApprovalDesk;
  readonly subagents: SubagentDesk;
  readonly upkeep: Upkeep;
  readonly goals: GoalDesk;
  /** Aborts when another command waits: what is only looked up is left out then. */
  readonly hurry: AbortSignal;
}
