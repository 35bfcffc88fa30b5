/**
 * The last exchange of a conversation: what somebody said, and all that came of it.
 * @module
 */

import type { ChatMessage } from "../../providers/provider.ts";
import type { Conversation } from "./conversation.ts";
import type { StoredMessage } from "./session_file.ts";

/**
 * Finds it among what the model is shown: from the first message after the last finished answer but
 * one, to the end. Empty where nothing is shown any more, as it was summed up or taken back.
 */
export function lastExchange(conversation: Conversation): readonly StoredMessage[] {
  const { messages, lastConsolidated } = conversation;
  const exchange: StoredMessage[] = [];
  for (let index = messages.length - 1; index >= lastConsolidated; index--) {
    const stored = messages[index];
    if (stored === undefined || !conversation.isShown(stored)) continue;
    const hasBegun = exchange.at(-1)?.message.role === "user";
    if (hasBegun && isFinalAnswer(stored.message)) break;
    exchange.push(stored);
  }
  return exchange.reverse();
}

/** Whether a message ends what a turn had to say: an answer, and not a call of tools. */
export function isFinalAnswer(message: ChatMessage): boolean {
  return message.role === "assistant" && (message.tool_calls ?? []).length === 0;
}

/** Names of the tools that messages asked for, each once, in order. */
export function toolsAsked(messages: readonly StoredMessage[]): readonly string[] {
  const names = messages.flatMap(({ message }) =>
    message.role === "assistant" ? message.tool_calls ?? [] : []
  ).map((call) => call.function.name);
  return [...new Set(names)];
}
