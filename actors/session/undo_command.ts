/**
 * `/undo`: takes the last exchange out of what the model is shown. Its lines stay in the file; the
 * one that sets them aside stands behind them, and commits with the command.
 * @module
 */

import type { CommandScene } from "./command_scene.ts";
import type { Conversation } from "./conversation.ts";
import { waitingBefore } from "./incoming.ts";
import { type AsideLine, stopWork } from "./interruption.ts";
import { lastExchange, toolsAsked } from "./last_exchange.ts";
import { lastSummary } from "./last_summary.ts";
import { asideRow } from "./record/step_inputs.ts";
import { SET_ASIDE, type StoredMessage } from "./session_file.ts";
import type { LineDraft } from "./session_log.ts";
import { lineIdOf } from "./session_store.ts";
import { isUnderWay } from "./subagents/subagent_row.ts";
import { STOPPED_NOTE, UNDONE_NOTE, undoneText } from "./wording.ts";

/**
 * Takes it back. What still ran or waited is the last exchange, and is stopped first.
 *
 * @throws {JournalError} when nothing of it was kept
 */
export async function undo(scene: CommandScene): Promise<void> {
  const { log, command, services, memory, turn, upkeep, subagents } = scene;
  await upkeep.halt(); // it may be summing up what goes
  const waiting = await waitingBefore(services.journal, log.sessionKey, command.seq);
  const messages = waiting.filter((inbound) => !isUnderWay(inbound));
  const running = turn?.steps.unanswered.length ?? 0;
  const isOnlyWaiting = running === 0 && messages.length > 0;
  const exchange = isOnlyWaiting ? [] : lastExchange(log.conversation);
  const isOurs = exchange.every(({ lineId }) => lineId !== null);
  const confirmation = undoneText({
    said: wordsOf(exchange) || messages[0]?.content || "",
    messages: isOurs ? exchange.length : 0,
    stopped: running + messages.length,
    tools: toolsAsked(exchange),
    isForeign: !isOurs,
    isSummedUp: isSummedUp(log.conversation),
  });
  const note = isOurs ? UNDONE_NOTE : STOPPED_NOTE;
  await stopWork(log, {
    ...{ command, turn, waiting, note, confirmation },
    ...(isOurs && exchange.length > 0 && {
      behind: (closing) => setAside(command.seq, exchange, closing),
    }),
  });
  await subagents.stopAll();
  memory.forgetConversation();
}

/** The file may have let the lines go by now. */
function isSummedUp({ lastConsolidated, metadata }: Conversation): boolean {
  return lastConsolidated > 0 || lastSummary(metadata) !== null;
}

/** The line that takes an exchange, and what closes it, out of what the model is shown. */
function setAside(
  seq: number,
  exchange: readonly StoredMessage[],
  closing: readonly LineDraft[],
): AsideLine {
  const ids = [...exchange.flatMap(({ lineId }) => lineId ?? []), ...closing.map(lineIdOf)];
  const name = `undo:${seq}`;
  return { draft: asideDraft(name, UNDONE_NOTE, ids), recorded: asideRow(name, UNDONE_NOTE, ids) };
}

/** The line `name`, alone in its place. */
export function asideDraft(name: string, note: string, ids: readonly string[]): LineDraft {
  return {
    turnId: name,
    line: 0,
    inboundSeq: null,
    message: { role: "assistant", content: note },
    extras: { [SET_ASIDE]: [...ids] },
  };
}

function wordsOf(exchange: readonly StoredMessage[]): string {
  const first = exchange.find(({ message }) => message.role === "user")?.message.content ?? "";
  if (typeof first === "string") return first;
  return first.flatMap((block) => block.type === "text" ? [block.text] : []).join(" ");
}
