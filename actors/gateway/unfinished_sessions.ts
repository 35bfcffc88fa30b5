/**
 * Which sessions have something left to do.
 * @module
 */

import {
  FIRST_SESSIONS,
  type Journal,
  type SessionsCursor,
  type SessionsPage,
} from "../journal/journal.ts";
import { endedSessions } from "../session/ended_conversation.ts";
import { sessionsWithGoals } from "../session/goal/goal_desk.ts";

/**
 * Some of them. A look from the beginning also finds the conversations that ended and are not
 * archived yet, and the goals that are under way. The journal tells of all of them, as the sessions'
 * folder may be large.
 *
 * @throws {JournalError}
 */
export async function unfinishedSessions(
  journal: Pick<Journal, "unfinishedSessions" | "noteKeys">,
  after: SessionsCursor,
  limit: number,
): Promise<SessionsPage> {
  const { sessionKeys, next } = await journal.unfinishedSessions(after, limit);
  if (after !== FIRST_SESSIONS) return { sessionKeys, next };
  const others = [...await endedSessions(journal), ...await sessionsWithGoals(journal)];
  return { sessionKeys: [...new Set([...sessionKeys, ...others])], next };
}
