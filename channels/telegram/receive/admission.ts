/**
 * Decides what to do with a received message, from the message alone: no I/O, so a stranger's
 * message costs nothing.
 * @module
 */

import { isAllowed } from "../../allow_list.ts";
import type { TelegramMessage, TelegramUser } from "../wire.ts";
import { type BotName, isAddressed, isForAnotherBot } from "./addressing.ts";
import { isBlank } from "./parts.ts";

/** What admission goes by. */
export interface AdmissionRules {
  readonly bot: BotName;
  readonly groupPolicy: "mention" | "open";
  /** Numeric ids, user names, `id|name`, or `"*"`. */
  readonly allowFrom: readonly string[];
}

/** What became of a message. `ignored` is not for us; a `stranger` may not speak to the bot. */
export type Admission =
  | { readonly verdict: "ignored"; readonly reason: IgnoredReason }
  | { readonly verdict: "stranger"; readonly senderId: string }
  | { readonly verdict: "admitted"; readonly message: TelegramMessage };

/** Why a message is not for us. */
export type IgnoredReason =
  | "no_person"
  | "from_a_bot"
  | "for_another_bot"
  | "not_addressed"
  | "nothing_said";

/** Judges one message: sender, whom it speaks to, allow-list. */
export function admit(message: TelegramMessage, rules: AdmissionRules): Admission {
  const { from, sender_chat: sendingChat, chat } = message;
  // Posts in the name of a chat carry a stand-in for their sender.
  if (from === undefined || sendingChat !== undefined) return ignored("no_person");
  if (from.is_bot) return ignored("from_a_bot");
  if (isBlank(message)) return ignored("nothing_said");
  if (chat.type !== "private") {
    if (isForAnotherBot(message, rules.bot)) return ignored("for_another_bot");
    const isOpen = rules.groupPolicy === "open";
    if (!isOpen && !isAddressed(message, rules.bot)) return ignored("not_addressed");
  }
  return isListed(from, rules.allowFrom)
    ? { verdict: "admitted", message }
    : { verdict: "stranger", senderId: String(from.id) };
}

/** Albums carry the words at one of their pictures: what that says counts for all. */
export function admitAlbum(album: readonly TelegramMessage[], rules: AdmissionRules): Admission {
  const verdicts = album.map((message) => admit(message, rules));
  return verdicts.find(({ verdict }) => verdict === "admitted") ??
    verdicts.find(({ verdict }) => verdict === "stranger") ?? verdicts[0] ??
    ignored("nothing_said");
}

function ignored(reason: IgnoredReason): Admission {
  return { verdict: "ignored", reason };
}

/** Is this person in the list, by id or name? */
export function isListed({ id, username }: TelegramUser, allowFrom: readonly string[]): boolean {
  if (isAllowed(String(id), allowFrom)) return true;
  return username !== undefined &&
    (allowFrom.includes(username) || allowFrom.includes(`${id}|${username}`));
}
