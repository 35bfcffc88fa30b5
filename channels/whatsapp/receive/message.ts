/**
 * A received message as the gateway takes it in: its ids, and whether it is a command.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { ChannelInbound } from "../../channel.ts";
import { addressOf, idOf, isGroup, type PersonIds } from "../ids.ts";
import type { MessageRef } from "../link.ts";
import type { ReceivedMessage } from "../wire.ts";
import { fileOf, unwrapped, withoutLeadingCall, wordsOf } from "./parts.ts";

const COMMAND = /^\/[A-Za-z][\w-]*(?=\s|$)[^]*$/;
/** Quoted words are shown in one or two lines. */
const QUOTE_CHARS_MAX = 200;

/** The chat by one address, whichever of a person's the message names. */
export function chatIdOf({ chatJid }: ReceivedMessage, sender: PersonIds): string {
  return isGroup(chatJid) ? chatJid : addressOf(sender);
}

/** The id of a message for the journal: ids are made by senders, so theirs is part of it. */
export function platformIdOf(message: ReceivedMessage, sender: PersonIds): string {
  return [message.id, chatIdOf(message, sender), idOf(sender)].join("/");
}

/** The message as the gateway takes it in, but for its text and media. */
export function inboundOf(
  message: ReceivedMessage,
  sender: PersonIds,
): Omit<ChannelInbound, "content" | "media"> {
  return {
    platformId: platformIdOf(message, sender),
    chatId: chatIdOf(message, sender),
    senderId: idOf(sender),
    context: contextOf(message),
  };
}

/** The message that a context of {@link inboundOf} is about, and its first words; null for others. */
export function messageIn(
  context: JsonObject,
): (MessageRef & { readonly text: string }) | null {
  const { message_id: id, remote_jid: chatJid, participant, quote } = context;
  if (typeof id !== "string" || typeof chatJid !== "string") return null;
  return {
    id,
    chatJid,
    ...(typeof participant === "string" && { participantJid: participant }),
    text: typeof quote === "string" ? quote : "",
  };
}

/** The command that a message is, bare; null when it is none. */
export function commandIn({ contents }: ReceivedMessage, self: PersonIds): string | null {
  const inner = unwrapped(contents);
  if (fileOf(inner) !== null) return null;
  const text = withoutLeadingCall(wordsOf(inner).trim(), self);
  return COMMAND.test(text) ? text.trim() : null;
}

function contextOf(message: ReceivedMessage): JsonObject {
  const { id, chatJid, participantJid, sentSeconds, contents } = message;
  return {
    message_id: id,
    remote_jid: chatJid,
    ...(participantJid !== undefined && { participant: participantJid }),
    timestamp: sentSeconds,
    is_group: isGroup(chatJid),
    quote: wordsOf(unwrapped(contents)).slice(0, QUOTE_CHARS_MAX).toWellFormed(),
  };
}
