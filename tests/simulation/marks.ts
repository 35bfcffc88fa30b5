/**
 * Marks in people's messages, by which one can tell what a model was shown and what it answered.
 * @module
 */

import type { ChatMessage } from "../../providers/provider.ts";

/** The marks in a text, in order. */
export function marksIn(text: string): string[] {
  return text.match(/#m\d+/g) ?? [];
}

/** The text of a message, whatever it consists of. */
export function textOf({ content }: Pick<ChatMessage, "content">): string {
  if (content === null || typeof content === "string") return content ?? "";
  return content.map((block) => block.type === "text" ? block.text : "").join("\n");
}

/** Marks of all people's messages, in order. */
export function marksOfPeople(messages: readonly ChatMessage[]): string[] {
  return messages.filter(({ role }) => role === "user").flatMap((m) => marksIn(textOf(m)));
}

/** Marks of the messages that no answer follows yet. */
export function marksToAnswer(messages: readonly ChatMessage[]): string[] {
  const lastAnswer = messages.findLastIndex((message) =>
    message.role === "assistant" && (message.tool_calls ?? []).length === 0
  );
  return marksOfPeople(messages.slice(lastAnswer + 1));
}
