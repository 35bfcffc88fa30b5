/**
 * A received message as the channel understands it: who speaks where, in which conversation.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { SlackMessage } from "../wire.ts";
import { isTooTelling } from "./text.ts";

/** A message that is for us. */
export interface ReceivedMessage {
  readonly message: SlackMessage;
  /** In a direct chat between a person and the bot. */
  readonly isDirect: boolean;
  /** The thread that the answer belongs into; "" for none. */
  readonly threadTs: string;
  /** What was said, without the mention of the bot. */
  readonly words: string;
}

/** What decides to which conversation a message belongs. */
export interface ConversationRules {
  readonly botUserId: string;
  /** Answers to channel messages go into a thread below them. */
  readonly replyInThread: boolean;
}

/** A word that can be a command, and nothing that is a path. */
const COMMAND = /^\/[A-Za-z][\w-]*(?=\s|$)/;

/** Reads a message. */
export function readMessage(
  message: SlackMessage,
  { botUserId, replyInThread }: ConversationRules,
): ReceivedMessage {
  const isDirect = isDirectChat(message);
  const own = !isDirect && replyInThread ? message.ts : "";
  return {
    message,
    isDirect,
    threadTs: message.thread_ts || own,
    words: withoutMention(message.text, botUserId),
  };
}

/** The message's id among all of the workspace. */
export function platformIdOf({ channel, ts }: Pick<SlackMessage, "channel" | "ts">): string {
  return `${channel}:${ts}`;
}

/** Where the message with this id stands; null for what is no message (a slash command). */
export function placeOf(
  platformId: string,
): { readonly channel: string; readonly ts: string } | null {
  const match = /^([A-Z][A-Z0-9]+):(\d+\.\d+)$/.exec(platformId);
  const [, channel, ts] = match ?? [];
  return channel === undefined || ts === undefined ? null : { channel, ts };
}

/** The command that a message is, bare; null when it is none. */
export function commandIn({ words, message }: ReceivedMessage): string | null {
  const isBare = message.files.length === 0 && !isTooTelling(words);
  return isBare && COMMAND.test(words) ? words : null;
}

/** What is needed to answer in the right place. */
export function contextOf({ message, isDirect, threadTs }: ReceivedMessage): JsonObject {
  return {
    channel: message.channel,
    ts: message.ts,
    channel_type: isDirect ? "im" : message.channel_type || "channel",
    ...(threadTs !== "" && { thread_ts: threadTs }),
  };
}

/** A thread of a channel is a conversation of its own; null: the chat is one. */
export function threadSession(received: ReceivedMessage, channel: string): string | null {
  return sessionOfThread(received.message.channel, contextOf(received), channel);
}

/** The same for what came of a message, by its context. */
export function sessionOfThread(
  chatId: string,
  { channel_type: type, thread_ts: threadTs }: JsonObject,
  channel: string,
): string | null {
  const isInThread = typeof threadTs === "string" && threadTs !== "";
  return type === "im" || !isInThread ? null : `${channel}:${chatId}:${threadTs}`;
}

/** Whether a message stands in a direct chat; the history does not say, but its channel's id does. */
export function isDirectChat(
  { channel, channel_type: type }: Pick<SlackMessage, "channel" | "channel_type">,
): boolean {
  return type === "im" || (type === "" && channel.startsWith("D"));
}

/** Whether the text mentions a person or bot. */
export function mentions(text: string, userId: string): boolean {
  return new RegExp(`<@${userId}(?:\\|[^<>]*)?>`).test(text);
}

function withoutMention(text: string, botUserId: string): string {
  return text.replace(new RegExp(`<@${botUserId}(?:\\|[^<>]*)?>[ \\t]*`, "g"), "").trim();
}
