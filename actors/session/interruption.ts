/**
 * Ends a session's work from outside: on request, or because something broke. Each way is one
 * transaction, and everybody who waited for an answer hears a word.
 * @module
 */

import type { Inbound, NewOutbound, Settlement } from "../journal/journal.ts";
import type { ShownText } from "./answer_view.ts";
import type { SessionLog } from "./session_log.ts";
import { changes, settlements, type TurnSteps } from "./steps.ts";
import { BROKEN_TURN, STOPPED_ELSEWHERE, STOPPED_MARK, UNAVAILABLE_NOTE } from "./wording.ts";

/** A turn that has not ended. */
export interface UnfinishedTurn {
  readonly steps: TurnSteps;
  readonly shown: ShownText;
}

/** A request to stop everything that was accepted before it. */
export interface StopRequest {
  readonly command: Inbound;
  readonly turn: UnfinishedTurn | undefined;
  /** Messages that wait and were accepted before the command. */
  readonly waiting: readonly Inbound[];
  /** The line that closes the turn in the history; null where the history is gone. */
  readonly note: string | null;
  readonly confirmation: string;
}

/**
 * Stops the turn and all that waits, and confirms the command.
 *
 * @throws {JournalError} when nothing of it was kept
 */
export async function stopWork(log: SessionLog, request: StopRequest): Promise<void> {
  const { command, turn, waiting, note, confirmation } = request;
  const closing = turn?.steps.closing("stopped", note) ?? { step: {}, drafts: [] };
  const growing = turn?.steps.openRow === undefined ? [] : [stoppedRow(turn)];
  const unsettled = growing.length > 0 ? waiting : [...turn?.steps.inbounds ?? [], ...waiting];
  const isHere = (inbound: Inbound) =>
    inbound.channel === command.channel && inbound.chatId === command.chatId;
  const here = unsettled.filter(isHere);
  const elsewhere = Object.values(
    Object.groupBy(
      unsettled.filter((inbound) => !isHere(inbound)),
      ({ channel, chatId }) => JSON.stringify([channel, chatId]),
    ),
  ).filter((chat) => chat !== undefined);
  await log.commit({
    ...closing.step,
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
      commandReply(command, confirmation, settlements(here, "stopped")),
    ],
  }, closing.drafts);
}

/**
 * Ends a turn that broke: its senders are told, the session can go on.
 *
 * @throws {JournalError} when nothing of it was kept
 */
export async function closeBrokenTurn(log: SessionLog, turn: UnfinishedTurn): Promise<void> {
  const { step, drafts } = turn.steps.closing("failed", UNAVAILABLE_NOTE);
  const { preamble, text } = turn.shown;
  const content = withMark(text, BROKEN_TURN);
  const outbounds = turn.steps.inbounds.length === 0
    ? []
    : [turn.steps.finalRow(content, preamble, "failed")];
  await log.commit({ ...step, outbounds }, drafts);
}

/** The reply to a command, which settles it. */
export function commandReply(
  command: Inbound,
  content: string,
  alsoSettles: readonly Settlement[] = [],
): NewOutbound {
  return {
    ...rowFor(command, `command:${command.seq}:0`, content),
    settles: [...settlements([command], "done"), ...alsoSettles],
  };
}

/** What was shown of an answer stays, and is marked. */
function stoppedRow({ steps, shown }: UnfinishedTurn): NewOutbound {
  return steps.finalRow(withMark(shown.text, STOPPED_MARK), shown.preamble, "stopped");
}

function stoppedElsewhere(chat: readonly Inbound[], key: string): NewOutbound[] {
  const [first] = chat;
  if (first === undefined) return [];
  return [{ ...rowFor(first, key, STOPPED_ELSEWHERE), settles: settlements(chat, "stopped") }];
}

function rowFor(inbound: Inbound, key: string, content: string): Omit<NewOutbound, "settles"> {
  const { channel, chatId, sessionKey, context } = inbound;
  return {
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
  };
}

function withMark(shown: string, mark: string): string {
  return shown === "" ? mark : `${shown}\n\n${mark}`;
}
