/**
 * A received message as the gateway takes it in: its ids, its conversation, and whether it is a
 * command.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { ChannelInbound } from "../../channel.ts";
import type { RobotMessage } from "../wire.ts";

/** Stands before a group's id, as chat id: a person's could look the same. */
export const GROUP_PREFIX = "group:";

const COMMAND = /^\/[A-Za-z][\w-]*(?=\s|$)/;

/** Does it stand in a group? */
export function isGroup({ conversationType, conversationId }: RobotMessage): boolean {
  return conversationType === "2" && conversationId !== "";
}

/** Who wrote it: by staff id where there is one. */
export function senderOf({ senderStaffId, senderId }: RobotMessage): string {
  return senderStaffId || senderId;
}

/** How a message becomes an inbound. */
export interface InboundRules {
  /** Runtime name of the channel. */
  readonly channel: string;
  readonly groupUserIsolation: boolean;
}

/** The message as the gateway takes it in, but for its text and media. */
export function inboundOf(
  message: RobotMessage,
  platformId: string,
  { channel, groupUserIsolation }: InboundRules,
): Omit<ChannelInbound, "content" | "media"> {
  const senderId = senderOf(message);
  const chatId = isGroup(message) ? `${GROUP_PREFIX}${message.conversationId}` : senderId;
  const isOwn = isGroup(message) && groupUserIsolation;
  return {
    platformId,
    chatId,
    senderId,
    context: contextOf(message),
    ...(isOwn && { sessionKey: `${channel}:${chatId}:user:${senderId}` }),
  };
}

function contextOf(message: RobotMessage): JsonObject {
  const { msgId, senderNick, conversationType, conversationId, conversationTitle } = message;
  return {
    message_id: msgId,
    platform: "dingtalk",
    sender_name: senderNick,
    conversation_type: conversationType,
    conversation_id: conversationId,
    ...(conversationTitle !== "" && { conversation_title: conversationTitle }),
  };
}

/** The command that a message is, bare; null when it is none. */
export function commandIn({ msgtype, text }: RobotMessage): string | null {
  const words = text.content.trim();
  return msgtype === "text" && COMMAND.test(words) ? words : null;
}
