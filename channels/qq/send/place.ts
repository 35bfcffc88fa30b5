/**
 * Where a message goes.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { DeliveryError } from "../../channel.ts";
import type { ChatKind } from "../wire.ts";

/** What its id does not tell of a chat. */
export interface Chat {
  readonly kind: ChatKind;
  /** Of a direct chat of a guild; "" for others. */
  readonly guildId: string;
}

/** A chat as the platform's API names it. */
export interface Place {
  readonly kind: ChatKind;
  readonly chatId: string;
  /** With a slash in front: what its calls begin with. */
  readonly path: string;
}

/** What the platform makes its ids of. */
const ID = /^[\w-]{1,128}$/;

/** A chat that is known. @throws {DeliveryError} when there can be none by this id */
export function placeIn(chatId: string, { kind, guildId }: Chat): Place {
  const id = kind === "direct" ? guildId : chatId;
  if (!ID.test(id)) {
    const message = `Cannot send to chat "${chatId}": it is no id of QQ's`;
    throw new DeliveryError("delivery_permanent", message);
  }
  const folder = { c2c: "/v2/users", group: "/v2/groups", direct: "/dms" }[kind];
  return { kind, chatId, path: `${folder}/${id}` };
}

/**
 * The place for a delivery: what it answers tells, or what is remembered of the chat; one that was
 * never heard of is taken for one with a person.
 *
 * @throws {DeliveryError} when there can be no such chat
 */
export function placeOf(
  chatId: string,
  context: JsonObject,
  known: Chat | undefined,
): Place {
  const { kind, guild_id: guildId, chat_id: asked } = context;
  const isAsked = asked === chatId;
  if (isAsked && (kind === "c2c" || kind === "group")) {
    return placeIn(chatId, { kind, guildId: "" });
  }
  if (isAsked && kind === "direct" && typeof guildId === "string") {
    return placeIn(chatId, { kind, guildId });
  }
  return placeIn(chatId, known ?? { kind: "c2c", guildId: "" });
}
