/**
 * A session whose file cannot be read, and not for a passing reason: what waits for it is ended
 * with a word to its sender, who would else wait for ever.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Inbound, NewOutbound } from "../journal/journal.ts";
import { asError } from "../kernel/errors.ts";
import type { SessionServices } from "./ports.ts";
import { SessionFileError } from "./session_store.ts";
import { changes, settlements } from "./step_parts.ts";
import { unreadableNotice } from "./wording.ts";

const logger = getLogger(["troupe", "session", "unreadable"]);

/** Names of errors that a person has to mend; anything else (no room, a disk that is away) may pass by itself. */
export const LASTING_FILE_FAULTS: ReadonlySet<string> = new Set([
  "PermissionDenied",
  "NotCapable",
  "IsADirectory",
  "NotADirectory",
  "FilesystemLoop",
]);

/** Messages that one failed load ends; the next one goes on. */
const ENDED_MAX = 100;

/** What is needed to end messages without their session. */
export type UnreadableServices = Pick<SessionServices, "journal" | "outbox" | "newId">;

/** Why a session's file will not be readable until a person mends it; undefined when it may be. */
export function lastingReason(error: unknown): string | undefined {
  if (!(error instanceof SessionFileError)) return undefined;
  const cause = asError(error.cause);
  return LASTING_FILE_FAULTS.has(cause.name) ? cause.message : undefined;
}

/**
 * Ends what waits for a session as failed, and says why. A turn that was interrupted stays: it goes
 * on when the file can be read.
 *
 * @throws {JournalError} when nothing of it was kept
 */
export async function endWaiting(
  sessionKey: string,
  reason: string,
  { journal, outbox, newId }: UnreadableServices,
): Promise<void> {
  const waiting = await journal.waiting(sessionKey, 0, ENDED_MAX);
  if (waiting.length === 0) return;
  const rows = await journal.commit({
    inbounds: changes(waiting, "failed"),
    outbounds: waiting.flatMap((inbound) => noticeTo(inbound, `unreadable:${newId()}`, reason)),
  });
  for (const row of rows) outbox(row.channel)?.tell({ type: "row_committed", row });
  logger.error("Ended {count} messages of {sessionKey}, whose file cannot be read: {reason}", {
    count: waiting.length,
    sessionKey,
    reason,
  });
}

/** None where replies go nowhere. */
function noticeTo(inbound: Inbound, key: string, reason: string): NewOutbound[] {
  const { replyChannel: channel, chatId, sessionKey, context } = inbound;
  if (channel === null) return [];
  return [{
    key,
    channel,
    chatId,
    sessionKey,
    context,
    state: "pending",
    content: unreadableNotice(reason),
    preamble: "",
    media: [],
    isPlain: true,
    settles: settlements([inbound], "failed"),
  }];
}
