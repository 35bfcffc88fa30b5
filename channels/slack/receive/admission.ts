/**
 * Decides what to do with a received message, from the message alone: no I/O, so a stranger's
 * message costs nothing.
 * @module
 */

import { isAllowed } from "../../allow_list.ts";
import type { SlackDirectMessages } from "../manifest.ts";
import type { SlackMessage } from "../wire.ts";
import {
  type ConversationRules,
  isDirectChat,
  mentions,
  readMessage,
  type ReceivedMessage,
} from "./message.ts";

/** What admission goes by. */
export interface AdmissionRules extends ConversationRules {
  readonly groupPolicy: "mention" | "open" | "allowlist";
  readonly groupAllowFrom: readonly string[];
  readonly dm: SlackDirectMessages;
  /** Exact user ids, or `"*"`. */
  readonly allowFrom: readonly string[];
  /** Whether the bot takes part in a thread: who goes on there need not mention it again. */
  readonly takesPart: (channel: string, threadTs: string) => boolean;
}

/** Why a message is not for us. */
export type IgnoredReason =
  | "no_message"
  | "from_an_app"
  | "direct_off"
  | "not_addressed"
  | "channel_not_listed"
  | "empty";

/** What became of a message. `ignored` is not for us; a `stranger` may not speak to the bot. */
export type Admission =
  | { readonly verdict: "ignored"; readonly reason: IgnoredReason }
  | { readonly verdict: "stranger"; readonly senderId: string }
  | { readonly verdict: "admitted"; readonly received: ReceivedMessage };

/** Kinds that people write; all others tell of what happened in the channel. */
const SUBTYPES: ReadonlySet<string> = new Set([
  "",
  "file_share",
  "thread_broadcast",
  "me_message",
]);

/** Judges one message: its kind, its place, whether it is for the bot, who speaks. */
export function admit(message: SlackMessage, rules: AdmissionRules): Admission {
  const { type, subtype, user, channel, bot_id: botId } = message;
  const isMessage = (type === "message" || type === "app_mention") && SUBTYPES.has(subtype);
  if (!isMessage || user === "" || channel === "") return ignored("no_message");
  if (user === rules.botUserId || botId !== "") return ignored("from_an_app");
  const reason = isDirectChat(message) ? whyNotDirect(rules) : whyNotInGroup(message, rules);
  if (reason !== null) return ignored(reason);
  const { dm, allowFrom } = rules;
  const isListed = !isDirectChat(message) || dm.policy === "open" || isAllowed(user, dm.allowFrom);
  if (!isListed || !isAllowed(user, allowFrom)) return { verdict: "stranger", senderId: user };
  const received = readMessage(message, rules);
  const isEmpty = received.words === "" && message.files.length === 0 &&
    message.attachments.length === 0 && !mentions(message.text, rules.botUserId);
  return isEmpty ? ignored("empty") : { verdict: "admitted", received };
}

function ignored(reason: IgnoredReason): Admission {
  return { verdict: "ignored", reason };
}

function whyNotDirect({ dm }: AdmissionRules): IgnoredReason | null {
  return dm.enabled ? null : "direct_off";
}

function whyNotInGroup(message: SlackMessage, rules: AdmissionRules): IgnoredReason | null {
  const { groupPolicy, groupAllowFrom, botUserId, takesPart } = rules;
  switch (groupPolicy) {
    case "open":
      return null;
    case "allowlist":
      return groupAllowFrom.includes(message.channel) ? null : "channel_not_listed";
    case "mention": {
      if (message.type === "app_mention" || mentions(message.text, botUserId)) return null;
      const isOurs = message.thread_ts !== "" &&
        (message.parent_user_id === botUserId || takesPart(message.channel, message.thread_ts));
      // Who begins by calling somebody else speaks to them.
      return isOurs && !/^\s*<@/.test(message.text) ? null : "not_addressed";
    }
  }
}
