/**
 * Events as the platform words them.
 * @module
 */

import { Buffer } from "node:buffer";
import { createCipheriv, createHash, randomBytes } from "node:crypto";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { Chat, Person, StoredMessage, StoredReaction } from "./world.ts";

/** What stands in every event's header. */
export interface EnvelopeFrame {
  readonly appId: string;
  readonly tenantKey: string;
  readonly verificationToken: string;
  readonly botOpenId: string;
}

/** An event, ready to be sent. */
export interface Envelope {
  readonly eventId: string;
  readonly eventType: string;
  readonly body: JsonObject;
}

/** The envelope around an event's own part. */
export function envelope(
  { appId, tenantKey, verificationToken }: EnvelopeFrame,
  { eventId, eventType, atMs, event }: {
    readonly eventId: string;
    readonly eventType: string;
    readonly atMs: number;
    readonly event: JsonObject;
  },
): Envelope {
  const header = {
    event_id: eventId,
    event_type: eventType,
    create_time: String(atMs),
    token: verificationToken,
    app_id: appId,
    tenant_key: tenantKey,
  };
  return { eventId, eventType, body: { schema: "2.0", header, event } };
}

/** The event of a person's message. */
export function messageEvent(
  message: StoredMessage,
  chat: Chat,
  sender: Person,
  { tenantKey, botOpenId }: EnvelopeFrame,
): JsonObject {
  const { rootId, parentId, threadId } = message;
  return {
    sender: {
      sender_id: personIds(sender),
      sender_type: "user",
      tenant_key: tenantKey,
    },
    message: {
      message_id: message.messageId,
      ...(rootId !== undefined && { root_id: rootId }),
      ...(parentId !== undefined && { parent_id: parentId }),
      create_time: String(message.createdAtMs),
      update_time: String(message.updatedAtMs),
      chat_id: chat.chatId,
      ...(threadId !== undefined && { thread_id: threadId }),
      chat_type: chat.kind,
      message_type: message.msgType,
      content: message.content,
      ...(message.mentions.length > 0 && {
        mentions: message.mentions.map(({ key, openId, name, isBot }) => ({
          key,
          id: { union_id: `on_${(isBot ? botOpenId : openId).slice(3)}`, open_id: openId },
          name,
          tenant_key: tenantKey,
          mentioned_type: isBot ? "bot" : "user",
        })),
      }),
    },
  };
}

/** The event of a reaction that came or went. */
export function reactionEvent(
  messageId: string,
  { emoji, by, atMs }: StoredReaction,
  { appId }: EnvelopeFrame,
): JsonObject {
  return {
    message_id: messageId,
    reaction_type: { emoji_type: emoji },
    operator_type: by === "bot" ? "app" : "user",
    ...(by === "bot" ? { app_id: appId } : { user_id: { open_id: by } }),
    action_time: String(atMs),
  };
}

/** The body as it travels when the console has an encrypt key. */
export function encryptBody(text: string, encryptKey: string): string {
  const key = createHash("sha256").update(encryptKey).digest();
  const iv = randomBytes(16);
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  const encrypted = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final()]);
  return JSON.stringify({ encrypt: encrypted.toString("base64") });
}

function personIds({ unionId, userId, openId }: Person): JsonObject {
  return { union_id: unionId, ...(userId !== undefined && { user_id: userId }), open_id: openId };
}
