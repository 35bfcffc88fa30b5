/**
 * A message that was admitted: where it stands, and what it becomes.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { ChannelInbound } from "../../channel.ts";
import type { Message } from "../wire.ts";
import { wordsOf } from "./content.ts";
import type { Whereabouts } from "./places.ts";

/** A message and its place. */
export interface Received {
  readonly message: Message;
  /** As it came, for a draft. */
  readonly raw: JsonObject;
  readonly place: Whereabouts;
  /** In milliseconds; 0 for one that comes in time. */
  readonly lateMs: number;
}

/** How conversations are told apart. */
export interface ConversationRules {
  /** Runtime name of the channel, the first part of session keys. */
  readonly channel: string;
  readonly threadIsolation: boolean;
}

/** What a message becomes, without its contents. */
export function inboundOf(
  { message, place: { chatId, threadId } }: Received,
  { channel, threadIsolation }: ConversationRules,
): Omit<ChannelInbound, "content" | "media"> {
  const { id, author, channel_id: channelId, guild_id: guildId, reference } = message;
  return {
    platformId: id,
    chatId,
    senderId: author.id,
    context: {
      message_id: id,
      channel_id: channelId,
      guild_id: guildId,
      reply_to: reference?.messageId ?? null,
    },
    ...(threadId !== null && threadIsolation &&
      { sessionKey: `${channel}:${chatId}:thread:${threadId}` }),
  };
}

/** The command that a message is; null for any other, and for one that brings files. */
export function commandIn(message: Message, botId: string): string | null {
  const words = wordsOf(message.content, message.mentions, botId);
  return /^\/[a-z]/i.test(words) && message.attachments.length === 0 ? words : null;
}
