/**
 * Decides what to do with a received message, from the message alone: no I/O, so a stranger's
 * message costs nothing.
 * @module
 */

import { isAllowed } from "../../allow_list.ts";
import type { MessageEvent } from "../wire.ts";
import { isAddressed } from "./mentions.ts";
import { readContent } from "./content.ts";
import { readMessage, type ReceivedMessage } from "./message.ts";
import { plainText } from "./parts.ts";

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
  | { readonly verdict: "admitted"; readonly message: ReceivedMessage };

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
  const isGroup = message.chat_type !== "p2p";
  if (isGroup && rules.groupPolicy === "mention" && !isForBot(event, rules.botOpenId)) {
    return { verdict: "ignored", reason: "not_addressed" };
  }
  if (!isAllowed(senderId, rules.allowFrom)) return { verdict: "stranger", senderId };
  const received = readMessage(event, rules.botOpenId);
  // A bare mention that answers something is about that.
  if (plainText(received.parts) === "" && message.parent_id === "") {
    return { verdict: "ignored", reason: "empty" };
  }
  return { verdict: "admitted", message: received };
}

function isForBot({ message }: MessageEvent, botOpenId: string): boolean {
  const { message_type: type, content, mentions } = message;
  return isAddressed(plainText(readContent(type, content, mentions)), mentions, botOpenId);
}
