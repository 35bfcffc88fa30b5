/**
 * Messages that break every attempt to answer them: how they are found and put aside, so that their
 * session can go on.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Inbound, TurnRecord } from "../journal/journal.ts";
import type { Conversation } from "./conversation.ts";
import { isFinalAnswer } from "./last_exchange.ts";
import type { StoredMessage } from "./session_file.ts";
import type { TurnSteps } from "./steps.ts";
import { PARKED_NOTE, PARKED_NOTICE } from "./wording.ts";

const logger = getLogger(["troupe", "session", "poison"]);

/**
 * Attempts of a turn that end by an exception, or with the process, and get no further than those
 * before; after them its inbounds are run one by one.
 */
const ATTEMPTS_MAX = 3;

/** Whether the next attempt runs the turn's inbounds one by one. */
export function mustRunAlone({ attempts }: Pick<TurnRecord, "attempts">): boolean {
  return attempts >= ATTEMPTS_MAX;
}

/** The inbound that broke the last attempt, which ran it alone; undefined when none did. */
export function culpritOf(turn: TurnRecord, inbounds: readonly Inbound[]): Inbound | undefined {
  if (turn.attempts <= ATTEMPTS_MAX) return undefined;
  return inbounds.find(({ seq }) => seq === turn.soloSeq);
}

/**
 * Puts an inbound aside for a person to look at. The turn goes on for the others.
 *
 * @throws {JournalError} when nothing of it was kept
 */
export async function parkCulprit(
  steps: TurnSteps,
  culprit: Inbound,
  conversation: Conversation,
): Promise<void> {
  const { seq, platformId, sessionKey } = culprit;
  logger.error(
    "Parks inbound {seq} ({platformId}) of {sessionKey}: it broke every attempt to answer it",
    { seq, platformId, sessionKey },
  );
  const at = steps.unanswered.findIndex((inbound) => inbound.seq === seq);
  const lineId = unansweredLines(conversation, steps.unanswered.length).at(at)?.lineId;
  const lineIds = [
    ...(lineId === undefined || lineId === null ? [] : [lineId]),
    ...(steps.unanswered.length === 1 ? openRounds(conversation, steps.turnId) : []),
  ];
  await steps.park(culprit, { lineIds, note: PARKED_NOTE, notice: PARKED_NOTICE });
}

/**
 * Rounds of tools of a turn since its last answer: with the last of its messages gone they are
 * nobody's, and would read as if the answer before them went on.
 */
function openRounds(conversation: Conversation, turnId: string): readonly string[] {
  const shown = conversation.replayed();
  const before = shown.findLastIndex(({ message, lineId }) =>
    isFinalAnswer(message) || lineId?.startsWith(`${turnId}:`) !== true
  );
  return shown.slice(before + 1).filter(({ message }) => message.role !== "user")
    .flatMap(({ lineId }) => lineId ?? []);
}

/** The newest lines of people: those of a turn's inbounds that have no answer yet. */
export function unansweredLines(conversation: Conversation, count: number): StoredMessage[] {
  const lines = conversation.replayed().filter(({ message }) => message.role === "user");
  return count === 0 ? [] : lines.slice(-count);
}
