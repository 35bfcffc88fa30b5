/**
 * Marks in people's messages, by which one can tell what a model was shown and what it answered.
 * @module
 */

import type { ChatMessage } from "../../providers/provider.ts";

/** The marks in a text, in order. */
export function marksIn(text: string): string[] {
  return text.match(/#m\d+/g) ?? [];
}

const INSIDE = String.raw`(?<=^\[(?:Result of a subagent:|Scheduled job) "[^\n]*" \()\w+(?=\))`;
const TOPICS = new RegExp(`#m\\d+|${INSIDE}`, "gm");

/** What a text is about, in order: the marks in it, and the ids of subagents and jobs that it tells of. */
export function topicsIn(text: string): string[] {
  return text.match(TOPICS) ?? [];
}

/** The text of a message, whatever it consists of. */
export function textOf({ content }: Pick<ChatMessage, "content">): string {
  if (content === null || typeof content === "string") return content ?? "";
  return content.map((block) => block.type === "text" ? block.text : "").join("\n");
}

/** Marks of all people's messages, in order. */
function marksOfPeople(messages: readonly ChatMessage[]): string[] {
  return messages.filter(({ role }) => role === "user").flatMap((m) => marksIn(textOf(m)));
}

/** What people, subagents and jobs say in messages, in order. */
export function topicsOf(messages: readonly ChatMessage[]): string[] {
  return messages.filter(({ role }) => role === "user").flatMap((m) => topicsIn(textOf(m)));
}

/** Marks of the messages that no answer follows yet. */
export function marksToAnswer(messages: readonly ChatMessage[]): string[] {
  const lastAnswer = messages.findLastIndex((message) =>
    message.role === "assistant" && (message.tool_calls ?? []).length === 0
  );
  return marksOfPeople(messages.slice(lastAnswer + 1));
}
