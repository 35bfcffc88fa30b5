/**
 * Where a delivery goes.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { DeliveryError } from "../../channel.ts";
import type { Place } from "../link.ts";

const CHAT_ID = /^-?\d+$|^@\w+$/;

/**
 * The place for a delivery with this context; only the first message quotes.
 *
 * @throws {DeliveryError} when there can be no such chat
 */
export function placeOf(
  chatId: string,
  context: JsonObject,
  { replyToMessage }: { readonly replyToMessage: boolean },
): Place {
  if (!CHAT_ID.test(chatId)) {
    const message = `Cannot send to chat "${chatId}": Telegram's chats are numbers`;
    throw new DeliveryError("delivery_permanent", message);
  }
  const { message_id: messageId, message_thread_id: threadId } = context;
  return {
    chatId,
    ...(typeof threadId === "number" && { threadId }),
    ...(replyToMessage && typeof messageId === "number" && { replyToId: messageId }),
  };
}

/** The same place for all messages but the first. */
export function withoutQuote({ chatId, threadId }: Place): Place {
  return { chatId, threadId };
}
