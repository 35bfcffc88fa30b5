/**
 * Decides what to do with a received message, from the message alone: no I/O, so a stranger's
 * message costs nothing.
 * @module
 */

import { isAllowed } from "../../allow_list.ts";
import type { Message } from "../wire.ts";
import { mentions } from "./content.ts";

/** What admission goes by. */
export interface AdmissionRules {
  readonly botId: string;
  readonly groupPolicy: "mention" | "open";
  /** Exact user ids, or `"*"`. */
  readonly allowFrom: readonly string[];
}

/** Why a message is not for us. */
export type IgnoredReason = "from_the_bot" | "from_a_bot" | "no_message" | "not_addressed";

/** What becomes of a message. A `stranger` may not speak to the bot. */
export type Admission =
  | { readonly verdict: "ignored"; readonly reason: IgnoredReason }
  | { readonly verdict: "stranger"; readonly senderId: string }
  | { readonly verdict: "admitted" };

/** What people say; all others tell of joins, pins, calls and the like. */
const SPOKEN_TYPES: ReadonlySet<number> = new Set([0, 19]);

/** Judges a message: kind, sender, then group policy. */
export function admit(message: Message, rules: AdmissionRules): Admission {
  const { author, type, guild_id: guildId, webhook_id: webhookId } = message;
  if (author.id === rules.botId) return { verdict: "ignored", reason: "from_the_bot" };
  if (!SPOKEN_TYPES.has(type)) return { verdict: "ignored", reason: "no_message" };
  // Two bots that answer everybody would talk for ever: a bot must be named.
  const isBot = author.bot || webhookId !== null;
  if (isBot && !rules.allowFrom.includes(author.id)) {
    return { verdict: "ignored", reason: "from_a_bot" };
  }
  if (!isAllowed(author.id, rules.allowFrom)) return { verdict: "stranger", senderId: author.id };
  if (guildId !== null && rules.groupPolicy === "mention" && !mentions(message, rules.botId)) {
    return { verdict: "ignored", reason: "not_addressed" };
  }
  return { verdict: "admitted" };
}
