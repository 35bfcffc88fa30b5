/**
 * Messages that are a piece of work each, whoever shares their conversation: programs hand them in.
 * None joins another one's turn, and each can be stopped alone.
 * @module
 */

import type { Inbound } from "../journal/journal.ts";
import type { JsonObject } from "../kernel/json.ts";
import { type CommandName, endsTurn } from "./command_table.ts";

/** A channel says with these keys of a message's context which work it is, or which it stops. */
const WORK = "ownWork";
const STOPS = "stopsWork";

/** Context of a message that is the work `id`; whatever comes of it bears the same. */
export function ownWork(id: string): JsonObject {
  return { [WORK]: id };
}

/** Context of a `/stop` that spares all but the work `id`. */
export function stopsWork(id: string): JsonObject {
  return { [WORK]: id, [STOPS]: true };
}

/** The work that something belongs to; null where it is part of a talk. */
export function workOf({ context }: Pick<Inbound, "context">): string | null {
  const id = context[WORK];
  return typeof id === "string" ? id : null;
}

/** Whether a command stops one piece of work, and spares the rest. */
export function stopsOneWork(command: Pick<Inbound, "context">): boolean {
  return command.context[STOPS] === true;
}

/** Whether a command that ends work means this inbound. */
export function isMeant(command: Inbound, inbound: Inbound): boolean {
  return !stopsOneWork(command) || workOf(inbound) === workOf(command);
}

/** Whether a command ends the turn that runs; one that has not begun with anything can go, too. */
export function endsRunningTurn(
  { name, inbound }: { readonly name: CommandName; readonly inbound: Inbound },
  turn: { readonly steps: { readonly unanswered: readonly Inbound[] } } | undefined,
): boolean {
  if (!endsTurn(name)) return false;
  const { unanswered } = turn?.steps ?? { unanswered: [] };
  return unanswered.length === 0 || unanswered.some((one) => isMeant(inbound, one));
}
