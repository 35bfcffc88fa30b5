/**
 * Decides what to do with a received message, from the message alone: no I/O, so a stranger's
 * message costs nothing.
 * @module
 */

import type { ChannelInbound } from "../../channel.ts";
import type { MessageEvent } from "../wire.ts";
import { readContent } from "./content.ts";
import { isAddressed, withNames, withoutLeadingBot } from "./mentions.ts";

/** What admission goes by. */
export interface AdmissionRules {
  readonly botOpenId: string;
  readonly groupPolicy: "mention" | "open";
  /** Exact open ids, or `"*"`. */
  readonly allowFrom: readonly string[];
}

/** What became of a message. `ignored` is not for us; a `stranger` may not speak to the bot. */
export type Admission =
  | { readonly verdict: "ignored"; readonly reason: IgnoredReason }
  | { readonly verdict: "stranger"; readonly senderId: string }
  | { readonly verdict: "admitted"; readonly inbound: ChannelInbound };

/** Why a message is not for us. */
export type IgnoredReason = "from_an_app" | "no_sender" | "not_addressed" | "empty";

/** Sender types that are not people; answering them could go round for ever. */
const APP_SENDER_TYPES: ReadonlySet<string> = new Set(["app", "bot"]);

/** Judges one message: sender kind, then group policy, then allow-list. */
export function admit(event: MessageEvent, rules: AdmissionRules): Admission {
  const { sender, message } = event;
  const senderId = sender.sender_id?.open_id ?? "";
  if (APP_SENDER_TYPES.has(sender.sender_type) || senderId === rules.botOpenId) {
    return { verdict: "ignored", reason: "from_an_app" };
  }
  if (senderId === "") return { verdict: "ignored", reason: "no_sender" };
  const raw = readContent(message.message_type, message.content, message.mentions);
  const isGroup = message.chat_type !== "p2p";
  if (
    isGroup && rules.groupPolicy === "mention" &&
    !isAddressed(raw, message.mentions, rules.botOpenId)
  ) {
    return { verdict: "ignored", reason: "not_addressed" };
  }
  if (!isAllowed(senderId, rules.allowFrom)) return { verdict: "stranger", senderId };
  const ownWords = withoutLeadingBot(raw, message.mentions, rules.botOpenId);
  const content = withNames(ownWords, message.mentions, rules.botOpenId).trim();
  if (content === "") return { verdict: "ignored", reason: "empty" };
  return { verdict: "admitted", inbound: inboundOf(event, senderId, content, isGroup) };
}

/** Exact match or `"*"`; an empty list allows nobody. */
export function isAllowed(senderId: string, allowFrom: readonly string[]): boolean {
  return allowFrom.includes("*") || allowFrom.includes(senderId);
}

function inboundOf(
  event: MessageEvent,
  senderId: string,
  content: string,
  isGroup: boolean,
): ChannelInbound {
  const { message } = event;
  return {
    platformId: message.message_id,
    chatId: isGroup ? message.chat_id : senderId,
    senderId,
    content,
    media: [],
    context: {
      message_id: message.message_id,
      chat_type: message.chat_type,
      ...(message.root_id !== "" && { root_id: message.root_id }),
      ...(message.thread_id !== "" && { thread_id: message.thread_id }),
      ...(message.parent_id !== "" && { parent_id: message.parent_id }),
    },
  };
}
