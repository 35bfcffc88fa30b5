/**
 * Waking a session: its conversation from disk, and what is left of a turn that an end of the
 * process or a restart of its actor interrupted.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ToolCall } from "../../providers/provider.ts";
import type { Inbound, Journal, Outbound, TurnRecord } from "../journal/journal.ts";
import type { Conversation } from "./conversation.ts";
import type { StoredMessage } from "./session_file.ts";
import { lookForWork, type Waiting } from "./incoming.ts";
import type { SessionServices } from "./ports.ts";
import { culpritOf, mustRunAlone, parkCulprit } from "./poison.ts";
import { SessionLog } from "./session_log.ts";
import { SessionStore } from "./session_store.ts";
import { TurnSteps } from "./steps.ts";
import { reportAbandoned } from "./subagents/abandoned.ts";
import { endWaiting, lastingReason } from "./unreadable.ts";
import { type UpkeepRemains, upkeepRemains } from "./upkeep.ts";
import { UNAVAILABLE_NOTE } from "./wording.ts";

const logger = getLogger(["troupe", "session", "recovery"]);

/** A session that was woken. */
export interface Awakened {
  readonly log: SessionLog;
  /** The turn to go on with, if there is one. */
  readonly interrupted: InterruptedTurn | undefined;
  readonly waiting: Waiting;
  /** Rows of subagents that were under way; they are reported by now. */
  readonly abandoned: readonly Inbound[];
  readonly upkeep: UpkeepRemains;
}

/** A turn that an end of the process, or a restart of its actor, cut off. */
export interface InterruptedTurn {
  readonly steps: TurnSteps;
  /** One of its inbounds breaks it: they are run one by one. */
  readonly mustRunAlone: boolean;
}

/**
 * Wakes a session. Lines that only the journal holds are filed first.
 *
 * @param signal ends what the session does
 * @throws {JournalError} {SessionFileError}
 */
export async function wakeSession(
  sessionKey: string,
  services: SessionServices,
  signal: AbortSignal,
): Promise<Awakened> {
  const store = new SessionStore({ ...services, keepsEnded: services.archive !== undefined });
  const conversation = await load(store, sessionKey, services);
  const log = new SessionLog({ services, store, conversation, signal });
  try {
    const interrupted = await findInterrupted(log, services.journal);
    const abandoned = await reportAbandoned(sessionKey, services);
    const waiting = await lookForWork(services.journal, sessionKey);
    const upkeep = await upkeepRemains(sessionKey, services);
    return { log, interrupted, abandoned, waiting, upkeep };
  } finally {
    // Were it not to wake, the next to wake it would miss in the file what is on its way there.
    await log.filed();
  }
}

/** A file that stays unreadable must not let people wait for ever. */
async function load(
  store: SessionStore,
  sessionKey: string,
  services: SessionServices,
): Promise<Conversation> {
  try {
    return await store.load(sessionKey);
  } catch (error) {
    const reason = lastingReason(error);
    if (reason !== undefined) await endWaiting(sessionKey, reason, services);
    throw error;
  }
}

async function findInterrupted(
  log: SessionLog,
  journal: Journal,
): Promise<InterruptedTurn | undefined> {
  const found = await journal.interrupted(log.sessionKey);
  if (found === null) return undefined;
  const { turn, inbounds } = found;
  const steps = new TurnSteps(log, turn.turnId, {
    lines: turn.lines,
    inbounds,
    openCalls: callsWithoutResult(log.conversation.messages),
    ...await findAnswers(turn, journal),
  });
  const culprit = culpritOf(turn, inbounds);
  if (culprit !== undefined) {
    await parkCulprit(steps, culprit, log.conversation);
    return steps.unanswered.length === 0 ? undefined : { steps, mustRunAlone: false };
  }
  if (inbounds.length > 0) {
    logger.info("Goes on with turn {turnId} of {sessionKey}, which was interrupted", {
      turnId: turn.turnId,
      sessionKey: log.sessionKey,
      attempts: turn.attempts,
    });
    return { steps, mustRunAlone: mustRunAlone(turn) };
  }
  // Nobody waits for this turn: it only has to be closed.
  const { step, drafts } = steps.closing("failed", UNAVAILABLE_NOTE);
  await log.commit(step, drafts);
  return undefined;
}

/** The calls of the newest model answer that have no result; none when something else came since. */
export function callsWithoutResult(messages: readonly StoredMessage[]): readonly ToolCall[] {
  const ended: string[] = [];
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]?.message;
    if (message?.role === "tool") {
      ended.push(message.tool_call_id);
      continue;
    }
    const calls = message?.role === "assistant" ? message.tool_calls ?? [] : [];
    return calls.filter((call) => !ended.includes(call.id));
  }
  return [];
}

/** How many answers a turn gave, and the row in which the next one grows. */
async function findAnswers(
  { turnId }: TurnRecord,
  journal: Journal,
): Promise<{ readonly answers: number; readonly openRow: Outbound | undefined }> {
  for (let answers = 0;; answers++) {
    const row = await journal.outbound(`${turnId}:${answers}`);
    if (row === null) return { answers, openRow: undefined };
    if (row.state === "open") return { answers, openRow: row };
  }
}
