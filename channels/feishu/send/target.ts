/**
 * Where a message goes: into a chat, or as an answer to a message of it.
 * @module
 */

import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";

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

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
