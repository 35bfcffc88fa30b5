/**
 * Conversations that ended before the last end of the process, and are not archived yet: their
 * sessions are woken, and see to it.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { sessionKeyOfEnded } from "../session/ended_conversation.ts";
import type { DatedFile } from "../session/idle_compaction.ts";
import type { WakeSession } from "./router.ts";

const logger = getLogger(["troupe", "gateway", "ended_sessions"]);

/**
 * Wakes them. Never throws: one that is not found is archived when somebody writes to it.
 *
 * @param list the files that ended conversations wait in
 */
export async function wakeEndedSessions(
  list: () => AsyncIterable<DatedFile>,
  router: ActorRef<WakeSession>,
): Promise<void> {
  try {
    for await (const { name } of list()) {
      const sessionKey = sessionKeyOfEnded(name);
      if (sessionKey !== null) router.tell({ type: "wake_session", sessionKey });
    }
  } catch (error) {
    logger.warn("Cannot look for conversations that are not archived: {reason}", {
      reason: asError(error).message,
    });
  }
}
