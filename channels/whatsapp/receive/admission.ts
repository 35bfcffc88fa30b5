/**
 * Decides what to do with a received message, from the message alone: no I/O, so a stranger's
 * message costs nothing.
 * @module
 */

import { isGroup, isListed, type PersonIds, personIn, personOf } from "../ids.ts";
import type { ReceivedMessage } from "../wire.ts";
import { isAddressedTo, isBlank, unwrapped } from "./parts.ts";

/** What admission goes by. */
export interface AdmissionRules {
  readonly self: PersonIds;
  readonly groupPolicy: "open" | "mention";
  /** Numbers in any spelling, ids, or `"*"`. */
  readonly allowFrom: readonly string[];
  /** The number behind an id, if it was seen. */
  readonly phoneOf: (lid: string) => string | null;
}

/** What became of a message. `ignored` is not for us; a `stranger` may not speak to the bot. */
export type Admission =
  | { readonly verdict: "ignored"; readonly reason: IgnoredReason }
  | { readonly verdict: "stranger"; readonly sender: PersonIds }
  | { readonly verdict: "admitted"; readonly sender: PersonIds };

/** Why a message is not for us. */
export type IgnoredReason = "own" | "no_chat" | "nothing_said" | "not_addressed";

const REVOKED = "REVOKE";

/** Judges one message: chat, whom it speaks to, allow-list. */
export function admit(message: ReceivedMessage, rules: AdmissionRules): Admission {
  if (message.isFromMe) return { verdict: "ignored", reason: "own" };
  const inGroup = isGroup(message.chatJid);
  if (!inGroup && personIn(message.chatJid) === null) {
    return { verdict: "ignored", reason: "no_chat" };
  }
  const contents = unwrapped(message.contents);
  if (isBlank(contents) && revokedId(message) === null) {
    return { verdict: "ignored", reason: "nothing_said" };
  }
  const isOpen = rules.groupPolicy === "open" || revokedId(message) !== null;
  if (inGroup && !isOpen && !isAddressedTo(contents, rules.self)) {
    return { verdict: "ignored", reason: "not_addressed" };
  }
  const sender = senderOf(message, rules);
  return { verdict: isListed(sender, rules.allowFrom) ? "admitted" : "stranger", sender };
}

/** Who wrote a message: in a group, the one of its members. */
export function senderOf(
  { chatJid, chatAltJid, participantJid, participantAltJid }: ReceivedMessage,
  { phoneOf }: Pick<AdmissionRules, "phoneOf">,
): PersonIds {
  const told = isGroup(chatJid)
    ? personOf(participantJid, participantAltJid)
    : personOf(chatJid, chatAltJid);
  return { ...told, phone: told.phone ?? (told.lid === null ? null : phoneOf(told.lid)) };
}

/** The message that was taken back by this one; null for any other. */
export function revokedId({ contents }: ReceivedMessage): string | null {
  const protocol = unwrapped(contents).protocolMessage;
  return protocol?.type === REVOKED ? protocol.key?.id ?? null : null;
}
