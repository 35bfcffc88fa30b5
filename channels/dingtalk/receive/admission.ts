/**
 * Decides what to do with a received message, from the message alone: no I/O, so a stranger's
 * message costs nothing.
 * @module
 */

import { isAllowed } from "../../allow_list.ts";
import type { RobotMessage } from "../wire.ts";
import { isGroup, senderOf } from "./message.ts";
import { isBlank } from "./parts.ts";

/** What admission goes by. */
export interface AdmissionRules {
  readonly groupPolicy: "mention" | "open";
  /** Staff ids, or `"*"`. */
  readonly allowFrom: readonly string[];
}

/** Why a message is not for us. */
export type IgnoredReason = "no_sender" | "from_itself" | "not_addressed" | "nothing_said";

/** What became of a message. `ignored` is not for us; a `stranger` may not speak to the bot. */
export type Admission =
  | { readonly verdict: "ignored"; readonly reason: IgnoredReason }
  | { readonly verdict: "stranger"; readonly senderId: string }
  | { readonly verdict: "admitted" };

/** Judges one message: sender, whom it speaks to, allow-list. */
export function admit(message: RobotMessage, rules: AdmissionRules): Admission {
  const senderId = senderOf(message);
  if (senderId === "") return ignored("no_sender");
  if (message.senderId !== "" && message.senderId === message.chatbotUserId) {
    return ignored("from_itself");
  }
  // As a rule DingTalk brings only what mentions the robot, and says nothing about it then.
  const isElse = isGroup(message) && message.isInAtList === false;
  if (isElse && rules.groupPolicy === "mention") return ignored("not_addressed");
  if (isBlank(message)) return ignored("nothing_said");
  return isAllowed(senderId, rules.allowFrom)
    ? { verdict: "admitted" }
    : { verdict: "stranger", senderId };
}

function ignored(reason: IgnoredReason): Admission {
  return { verdict: "ignored", reason };
}
