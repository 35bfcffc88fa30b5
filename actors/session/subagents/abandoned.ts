/**
 * Subagents that an end of the process, or of their session, cut off: nobody goes on with them, so
 * they are reported.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Inbound } from "../../journal/journal.ts";
import { waitingInOrder } from "../incoming.ts";
import type { SessionServices } from "../ports.ts";
import type { TurnSteps } from "../steps.ts";
import { INTERRUPTED, reportFit, reportText } from "./report.ts";
import { isUnderWay, runIdOf, taskOf } from "./subagent_row.ts";

const logger = getLogger(["troupe", "session", "subagents"]);

/**
 * Completes the rows of such subagents; the session finds them among what waits.
 *
 * @returns those rows
 * @throws {JournalError}
 */
export async function reportAbandoned(
  sessionKey: string,
  services: Pick<SessionServices, "journal" | "settings" | "toolContext" | "newId" | "clock">,
): Promise<readonly Inbound[]> {
  const { journal } = services;
  const abandoned: Inbound[] = [];
  for await (const inbound of waitingInOrder(journal, sessionKey)) {
    if (isUnderWay(inbound)) abandoned.push(inbound);
  }
  for (const inbound of abandoned) {
    const task = taskOf(inbound);
    const fit = reportFit(services, sessionKey);
    const content = await reportText(task, INTERRUPTED, fit);
    const { channel, platformId } = inbound;
    await journal.complete({ channel, platformId, content, media: [] });
    logger.warn("Subagent {id} of {sessionKey} was interrupted", { id: task.id, sessionKey });
  }
  return abandoned;
}

/** Who may have asked an owner something in an earlier life: the turn, and these subagents. */
export function askersOf(
  turn: Pick<TurnSteps, "turnId" | "unanswered"> | undefined,
  abandoned: readonly Inbound[],
): Map<string, Inbound> {
  const askers = new Map(abandoned.map((row) => [runIdOf(taskOf(row).id), row]));
  const home = turn?.unanswered[0];
  if (turn !== undefined && home !== undefined) askers.set(turn.turnId, home);
  return askers;
}
