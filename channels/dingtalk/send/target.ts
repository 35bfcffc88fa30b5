/**
 * Where a delivery goes.
 * @module
 */

import type { Place } from "../api.ts";
import { DeliveryError } from "../../channel.ts";
import { GROUP_PREFIX } from "../receive/message.ts";

/** The place behind a chat id. @throws {DeliveryError} when there can be no such chat */
export function placeOf(chatId: string): Place {
  const isGroup = chatId.startsWith(GROUP_PREFIX);
  const id = isGroup ? chatId.slice(GROUP_PREFIX.length) : chatId;
  if (id.trim() === "") {
    const message = `Cannot send to chat "${chatId}": it is neither a staff id nor group:<id>`;
    throw new DeliveryError("delivery_permanent", message);
  }
  return isGroup ? { conversationId: id } : { userId: id };
}
