/**
 * Where a message goes: into a chat, or as an answer to a message of it.
 * @module
 */

import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import type { FeishuApi, MessageBody } from "../api.ts";
import { hasCode, MESSAGE_GONE_CODES, NO_TOPIC_CODES } from "../errors.ts";
import { stableUuid } from "./uuid.ts";

/** A place for messages. */
export interface Target {
  readonly chatId: string;
  /** The message to answer; "" for none. */
  readonly replyToId: string;
  /** All messages go into the topic of the answered one; otherwise only the first one answers. */
  readonly isInTopic: boolean;
}

/** The place for a delivery with this context. */
export function targetOf(
  chatId: string,
  context: JsonObject,
  options: { readonly replyToMessage: boolean },
): Target {
  const messageId = textOf(context["message_id"]);
  const isInTopic = textOf(context["thread_id"]) !== "" && messageId !== "";
  return { chatId, replyToId: isInTopic || options.replyToMessage ? messageId : "", isInTopic };
}

/**
 * Sends one message to its place. An answer whose message is gone goes to the chat instead.
 *
 * @param index 0 for the first message of a delivery
 * @returns the message's id
 */
export async function sendTo(
  api: FeishuApi,
  target: Target,
  message: MessageBody & { readonly uuid: string; readonly index: number },
  signal: AbortSignal,
): Promise<string> {
  const { msgType, content, uuid, index } = message;
  const { chatId, replyToId, isInTopic } = target;
  const body = { msgType, content, uuid };
  if (replyToId === "" || (index > 0 && !isInTopic)) {
    return await api.createMessage(chatId, body, signal);
  }
  try {
    return await api.replyMessage(replyToId, { ...body, isInTopic }, signal);
  } catch (error) {
    if (isInTopic && hasCode(error, NO_TOPIC_CODES)) {
      const outside = { ...body, uuid: stableUuid(uuid, "outside"), isInTopic: false };
      return await api.replyMessage(replyToId, outside, signal);
    }
    if (!hasCode(error, MESSAGE_GONE_CODES)) throw error;
    return await api.createMessage(chatId, { ...body, uuid: stableUuid(uuid, "create") }, signal);
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
