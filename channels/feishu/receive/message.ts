/**
 * A received message as the channel understands it: who speaks where, in which conversation, and
 * what it consists of.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { ChannelInbound } from "../../channel.ts";
import type { MessageEvent } from "../wire.ts";
import { readContent } from "./content.ts";
import { withNames, withoutLeadingBot } from "./mentions.ts";
import { mapText, type Part, plainText } from "./parts.ts";

/** A message that is for us. */
export interface ReceivedMessage {
  readonly event: MessageEvent;
  readonly senderId: string;
  /** Where replies go: the group, or the person of a direct chat. */
  readonly chatId: string;
  readonly isGroup: boolean;
  /** Names stand in place of mentions; that of the bot at the start is gone. */
  readonly parts: readonly Part[];
}

/** What decides to which conversation a message belongs. */
export interface ConversationRules {
  /** Runtime name of the channel. */
  readonly channel: string;
  /** Each topic of a group is a conversation of its own. */
  readonly topicIsolation: boolean;
}

/** A word that can be a command, and nothing that is a path. */
const COMMAND = /^\/[A-Za-z][\w-]*(?=\s|$)/;

/** Reads an event. */
export function readMessage(event: MessageEvent, botOpenId: string): ReceivedMessage {
  const { message, sender } = event;
  const { mentions } = message;
  const [first, ...rest] = readContent(message.message_type, message.content, mentions);
  const ownWords = first === undefined
    ? []
    : [...mapText([first], (text) => withoutLeadingBot(text, mentions, botOpenId)), ...rest];
  const isGroup = message.chat_type !== "p2p";
  const senderId = sender.sender_id?.open_id ?? "";
  return {
    event,
    senderId,
    chatId: isGroup ? message.chat_id : senderId,
    isGroup,
    parts: mapText(ownWords, (text) => withNames(text, mentions, botOpenId)),
  };
}

/** The command that a message is, bare; null when it is none. */
export function commandIn({ parts }: ReceivedMessage): string | null {
  if (parts.some(({ type }) => type !== "text")) return null;
  const text = plainText(parts);
  return COMMAND.test(text) ? text : null;
}

/** The message as the gateway takes it in, but for its text and media. */
export function inboundOf(
  received: ReceivedMessage,
  rules: ConversationRules,
): Omit<ChannelInbound, "content" | "media"> {
  const { event: { message }, senderId, chatId } = received;
  const sessionKey = topicSession(received, rules);
  return {
    platformId: message.message_id,
    chatId,
    senderId,
    context: contextOf(message),
    ...(sessionKey !== null && { sessionKey }),
  };
}

/** What is needed to answer in the right place. */
function contextOf(message: MessageEvent["message"]): JsonObject {
  return {
    message_id: message.message_id,
    chat_type: message.chat_type,
    ...(message.root_id !== "" && { root_id: message.root_id }),
    ...(message.thread_id !== "" && { thread_id: message.thread_id }),
    ...(message.parent_id !== "" && { parent_id: message.parent_id }),
  };
}

/** A topic is known by its first message; what is said outside of topics is one conversation. */
function topicSession(
  { event: { message }, chatId }: ReceivedMessage,
  rules: ConversationRules,
): string | null {
  return sessionOfTopic(chatId, message, rules);
}

/** The same for what came of a message, by its context. */
export function sessionOfTopic(
  chatId: string,
  place: Readonly<Partial<Record<"chat_type" | "thread_id" | "root_id" | "message_id", string>>>,
  { channel, topicIsolation }: ConversationRules,
): string | null {
  if (place.chat_type === "p2p" || !topicIsolation || !place.thread_id) return null;
  return `${channel}:${chatId}:${place.root_id || place.message_id}`;
}
