/**
 * Ends a session's work on request, in one transaction: everybody who waited for an answer hears a
 * word.
 * @module
 */

import type { Inbound, NewOutbound, Settlement } from "../journal/journal.ts";
import type { ShownText } from "./answer_view.ts";
import { endedNote } from "./ended_conversation.ts";
import { pausedNote } from "./pausing.ts";
import type { RecordRow } from "./record/life_record.ts";
import type { LineDraft, SessionLog } from "./session_log.ts";
import { clearingNote } from "./session_store.ts";
import { changes, settlements } from "./step_parts.ts";
import type { TurnSteps } from "./steps.ts";
import { STOPPED_ELSEWHERE, STOPPED_MARK } from "./wording.ts";

/** A turn that has not ended. */
export interface UnfinishedTurn {
  readonly steps: TurnSteps;
  readonly shown: ShownText;
}

/** A line that takes others out of what the model is shown. */
export interface AsideLine {
  readonly draft: LineDraft;
  readonly recorded: RecordRow;
}

/** A request to stop everything that was accepted before it. */
export interface StopRequest {
  readonly command: Inbound;
  readonly turn: UnfinishedTurn | undefined;
  /** Messages that wait and were accepted before the command. */
  readonly waiting: readonly Inbound[];
  /** The line that closes the turn in the history; null where the conversation begins anew. */
  readonly note: string | null;
  readonly confirmation: string;
  /** A line to stand behind those that close the turn. @default none */
  readonly behind?: (closing: readonly LineDraft[]) => AsideLine;
  /** A conversation that begins anew is archived. @default false */
  readonly isKept?: boolean;
}

/**
 * Stops the turn and all that waits, and confirms the command.
 *
 * @throws {JournalError} when nothing of it was kept
 */
export async function stopWork(log: SessionLog, request: StopRequest): Promise<void> {
  const { command, turn, waiting, note, confirmation, isKept = false } = request;
  const closing = turn?.steps.closing("stopped", note) ?? { step: {}, drafts: [] };
  const growing = turn?.steps.openRow === undefined ? [] : stoppedRows(turn);
  const unsettled = growing.length > 0 ? waiting : [...turn?.steps.unanswered ?? [], ...waiting];
  const isHere = ({ replyChannel, chatId }: Inbound) =>
    replyChannel === command.replyChannel && chatId === command.chatId;
  const here = unsettled.filter(isHere);
  const elsewhere = Object.values(
    Object.groupBy(
      unsettled.filter((inbound) => !isHere(inbound)),
      ({ replyChannel, chatId }) => JSON.stringify([replyChannel, chatId]),
    ),
  ).filter((chat) => chat !== undefined);
  const { sessionKey } = log;
  const isAnew = note === null;
  const aside = request.behind?.(closing.drafts);
  const drafts = aside === undefined ? closing.drafts : [...closing.drafts, aside.draft];
  await log.commit({
    ...closing.step,
    ...(aside !== undefined && {
      recorded: [...closing.step.recorded ?? [], aside.recorded],
    }),
    notes: [
      ...closing.step.notes ?? [],
      ...(turn === undefined ? [] : [{ key: pausedNote(sessionKey), value: null }]),
      ...(isAnew ? [{ key: clearingNote(sessionKey), value: true }] : []),
      ...(isAnew && isKept ? [{ key: endedNote(sessionKey), value: true }] : []),
    ],
    ...(isAnew && { usageReset: sessionKey, recordsReset: sessionKey }),
    inbounds: [
      ...closing.step.inbounds ?? [],
      ...changes(waiting, "stopped"),
      { seq: command.seq, state: "done" },
    ],
    outbounds: [
      ...growing,
      ...elsewhere.flatMap((chat, index) =>
        stoppedElsewhere(chat, `command:${command.seq}:${index + 1}`)
      ),
      ...commandReply(command, confirmation, settlements(here, "stopped")),
    ],
  }, drafts);
}

/** The reply to a command, which settles it; none where replies go nowhere. */
export function commandReply(
  command: Inbound,
  content: string,
  alsoSettles: readonly Settlement[] = [],
): NewOutbound[] {
  return rowsFor(command, `command:${command.seq}:0`, content).map((row) => ({
    ...row,
    settles: [...settlements([command], "done"), ...alsoSettles],
  }));
}

/** What comes of a command later, when it is done already. */
export function commandNotice(command: Inbound, content: string): NewOutbound[] {
  return rowsFor(command, `command:${command.seq}:1`, content).map((row) => ({
    ...row,
    settles: [],
  }));
}

/** What was shown of an answer stays, and is marked. */
function stoppedRows({ steps, shown }: UnfinishedTurn): NewOutbound[] {
  return steps.finalRows(withMark(shown.text, STOPPED_MARK), shown.preamble, "stopped");
}

function stoppedElsewhere(chat: readonly Inbound[], key: string): NewOutbound[] {
  const [first] = chat;
  if (first === undefined) return [];
  const settles = settlements(chat, "stopped");
  return rowsFor(first, key, STOPPED_ELSEWHERE).map((row) => ({ ...row, settles }));
}

function rowsFor(
  { replyChannel: channel, chatId, sessionKey, context }: Inbound,
  key: string,
  content: string,
): Omit<NewOutbound, "settles">[] {
  if (channel === null) return [];
  return [{
    key,
    channel,
    chatId,
    sessionKey,
    state: "pending",
    content,
    preamble: "",
    media: [],
    context,
    isPlain: true,
  }];
}

function withMark(shown: string, mark: string): string {
  return shown === "" ? mark : `${shown}\n\n${mark}`;
}
