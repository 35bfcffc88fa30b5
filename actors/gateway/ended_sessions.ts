/**
 * What no waiting message tells of: conversations that ended before the last end of the process, and
 * are not archived yet, and goals that were under way. Their sessions are woken, and see to it.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Journal } from "../journal/journal.ts";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { endedSessions } from "../session/ended_conversation.ts";
import { sessionsWithGoals } from "../session/goal/goal_desk.ts";
import type { WakeSession } from "./router.ts";

const logger = getLogger(["troupe", "gateway", "ended_sessions"]);

/**
 * Wakes them. Never throws: one that is not found is archived when somebody writes to it. The
 * journal tells of them, as the sessions' folder may be large.
 */
export async function wakeEndedSessions(
  journal: Pick<Journal, "noteKeys">,
  router: ActorRef<WakeSession>,
): Promise<void> {
  try {
    const keys = [...await endedSessions(journal), ...await sessionsWithGoals(journal)];
    for (const sessionKey of new Set(keys)) {
      router.tell({ type: "wake_session", sessionKey });
    }
  } catch (error) {
    logger.warn("Cannot look for conversations to archive and goals to go on with: {reason}", {
      reason: asError(error).message,
    });
  }
}
