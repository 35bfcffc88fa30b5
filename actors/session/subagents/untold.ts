/**
 * Subagents of a conversation that somebody who is about to leave may want to wait for.
 * @module
 */

import { type Inbound, type Journal, systemSource } from "../../journal/journal.ts";
import { waitingInOrder } from "../incoming.ts";

/**
 * How many work, or have a result that the conversation has not dealt with yet.
 *
 * @throws {JournalError}
 */
export async function untoldSubagents(
  sessionKey: string,
  journal: Pick<Journal, "waiting" | "interrupted">,
): Promise<number> {
  const waiting = await Array.fromAsync(waitingInOrder(journal, sessionKey));
  const open = await journal.interrupted(sessionKey);
  return [...waiting, ...open?.inbounds ?? []].filter(isOfSubagent).length;
}

function isOfSubagent(inbound: Inbound): boolean {
  return systemSource(inbound) === "subagent";
}
