/**
 * Where a delivery goes: a channel, a thread of it, direct messages with a person, or the place
 * where a command is answered.
 * @module
 */

import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";

/** A place for messages. */
export interface Target {
  /** A channel or thread; or a person, whose direct messages are meant. */
  readonly channelId: string;
  /** The message to answer; "" for none. */
  readonly replyToId: string;
  /** The command to answer; null for none. */
  readonly interaction: InteractionTarget | null;
}

/** A command that waits for its answer. */
export interface InteractionTarget {
  readonly applicationId: string;
  readonly token: string;
}

/** The place for a delivery with this context. */
export function targetOf(
  chatId: string,
  context: JsonObject,
  options: { readonly replyToMessage: boolean },
): Target {
  const token = textOf(context["interaction_token"]);
  return {
    channelId: textOf(context["channel_id"]) || chatId,
    replyToId: options.replyToMessage ? textOf(context["message_id"]) : "",
    interaction: token === "" ? null : { token, applicationId: textOf(context["application_id"]) },
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
