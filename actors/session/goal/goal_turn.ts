/**
 * What a turn for a goal came to, from the lines that it left.
 * @module
 */

import { createHash } from "node:crypto";
import type { ChatMessage } from "../../../providers/provider.ts";
import type { Inbound } from "../../journal/journal.ts";
import type { Conversation } from "../conversation.ts";
import type { GoalTurn } from "./goal.ts";

/** A shorter answer is a word on the work, and not the work. */
const ANSWER_CHARS_MIN = 200;
/** Long results stand in files of their own, whose names say nothing. */
const RESULT_FILE = /tool-results\S{1,300}/g;

/** Reads the lines of the turn that ran `inbound`. */
export function goalTurn(
  { state, turnId }: Inbound,
  conversation: Pick<Conversation, "messages">,
): GoalTurn {
  const end = state === "failed" || state === "stopped" || state === "parked" ? state : "done";
  const messages = conversation.messages
    .filter(({ lineId }) => lineId?.startsWith(`${turnId}:`) === true)
    .map(({ message }) => message);
  const work = messages.flatMap(workOf);
  const said = messages.findLast(({ role }) => role === "assistant");
  const answer = said === undefined
    ? ""
    : textOf(said).toLowerCase().replaceAll(/[^\p{L}]+/gu, " ");
  return {
    end,
    work: work.length === 0 ? null : markOf(JSON.stringify(work).replaceAll(RESULT_FILE, "")),
    answer: answer.length < ANSWER_CHARS_MIN ? null : markOf(answer),
  };
}

/** Calls and results, without the ids that the model gave them. */
function workOf(message: ChatMessage): unknown[] {
  if (message.role === "tool") return [message.content];
  if (message.role !== "assistant") return [];
  return (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => [name, args]);
}

function textOf({ content }: ChatMessage): string {
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

function markOf(text: string): string {
  return createHash("sha256").update(text).digest("base64").slice(0, 16);
}
