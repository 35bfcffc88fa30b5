/**
 * A received mail as the gateway takes it in: its ids, its conversation, and what an answer needs.
 * @module
 */

import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";
import { isAllowed } from "../../allow_list.ts";
import type { ChannelInbound } from "../../channel.ts";
import { shortHash } from "../../short_hash.ts";
import { type OwnId, readOwnId, threadOf } from "../thread.ts";
import type { Head } from "./mail.ts";

/** What making an inbound needs. */
export interface InboundRules {
  /** Runtime name of the channel. */
  readonly channel: string;
  readonly sessionPer: "thread" | "sender";
  readonly allowFrom: readonly string[];
}

/** The first and the last ones of a long thread say where it belongs. */
const REFERENCES_KEPT = 20;

/** The id of a mail for the journal: its own, or one made from its header block. */
export function platformIdOf({ messageId }: Pick<Head, "messageId">, headers: Uint8Array): string {
  return messageId ?? `<${shortHash(headers, 32)}@no-id>`;
}

/** The latest mail of the bot's that is answered; null without one. */
export function answeredOf({ references }: Pick<Head, "references">): OwnId | null {
  return references.map(readOwnId).findLast((own) => own !== null) ?? null;
}

/** The mail as the gateway takes it in, but for its text and media. */
export function inboundOf(
  head: Head,
  platformId: string,
  { channel, sessionPer, allowFrom }: InboundRules,
): Omit<ChannelInbound, "content" | "media"> {
  const sender = head.from[0]?.address ?? "";
  const thread = answeredOf(head)?.thread ?? threadOf(head.references[0] ?? platformId);
  return {
    platformId,
    chatId: sender,
    senderId: sender,
    context: contextOf(head, { sender, thread, allowFrom }),
    ...(sessionPer === "thread" && { sessionKey: `${channel}:${sender}:thread:${thread}` }),
  };
}

function contextOf(
  { messageId, references, subject, replyTo }: Head,
  { sender, thread, allowFrom }: {
    readonly sender: string;
    readonly thread: string;
    readonly allowFrom: readonly string[];
  },
): JsonObject {
  const ids = [...references, ...(messageId === null ? [] : [messageId])];
  const kept = ids.length <= REFERENCES_KEPT
    ? ids
    : [...ids.slice(0, 1), ...ids.slice(1 - REFERENCES_KEPT)];
  // Answers go elsewhere only where the list would let somebody in.
  const [other] = replyTo.map(({ address }) => address);
  const isElsewhere = other !== undefined && other !== sender && isAllowed(other, allowFrom);
  return asJson({
    thread,
    subject: subject.slice(0, 500).toWellFormed(),
    references: kept,
    ...(messageId !== null && { message_id: messageId }),
    ...(isElsewhere && { reply_to: other }),
  });
}

/** The command that a mail is, bare; null when it is none. */
export function commandIn(words: string): string | null {
  const [line = "", ...rest] = words.trim().split("\n");
  return /^\/[A-Za-z][\w-]*(\s|$)/.test(line) && rest.length === 0 ? line.trim() : null;
}
