/**
 * Brings a conversation into a form that every vendor takes, without losing a word of it.
 * @module
 */

import type { AssistantMessage, ChatMessage } from "../provider.ts";
import { pairResults } from "./pairing.ts";
import { cleanMessage, joinContent, joinText } from "./text.ts";

/** Stands before a conversation whose beginning is out of view. */
export const CONTINUED_TEXT = "(conversation continued)";

/**
 * The conversation with clean content, each call answered, neighbours of one role joined, a user
 * message first and none of the assistant last. The messages that were given stay as they are.
 */
export function cleanMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const merged = mergeNeighbours(pairResults(messages.map(cleanMessage)));
  return withUserFirst(withoutTrailingAnswer(merged));
}

function mergeNeighbours(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const merged: ChatMessage[] = [];
  for (const message of messages) {
    const joined = merge(merged.at(-1), message);
    if (joined === undefined) merged.push(message);
    else merged.splice(-1, 1, joined);
  }
  return merged;
}

function merge(first: ChatMessage | undefined, second: ChatMessage): ChatMessage | undefined {
  if (first?.role === "user" && second.role === "user") {
    return { role: "user", content: joinContent(first.content, second.content) };
  }
  if (first?.role !== "assistant" || second.role !== "assistant") return undefined;
  return mergeAnswers(first, second);
}

function mergeAnswers(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const calls = [...first.tool_calls ?? [], ...second.tool_calls ?? []];
  const thinking = [...first.thinking_blocks ?? [], ...second.thinking_blocks ?? []];
  const reasoning = joinText(first.reasoning_content ?? null, second.reasoning_content ?? null);
  return {
    role: "assistant",
    content: joinText(first.content, second.content),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning !== null && { reasoning_content: reasoning }),
    ...(thinking.length > 0 && { thinking_blocks: thinking }),
  };
}

/**
 * Models are not asked to go on with a text of their own. What was last is told as a user's word
 * where nothing else is left to answer.
 */
function withoutTrailingAnswer(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return messages;
  const rest = messages.slice(0, -1);
  if (rest.some(({ role }) => role === "user" || role === "tool")) return rest;
  return [...rest, { role: "user", content: last.content ?? CONTINUED_TEXT }];
}

function withUserFirst(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const start = messages.findIndex(({ role }) => role !== "system");
  const first = messages[start];
  if (first?.role !== "assistant" || first.tool_calls !== undefined) return messages;
  return messages.toSpliced(start, 0, { role: "user", content: CONTINUED_TEXT });
}
