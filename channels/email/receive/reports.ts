/**
 * Reports on mails of the bot's that did not arrive.
 * @module
 */

import { parseHead } from "../adapters/mail_parser.ts";
import { type OwnKind, readOwnId } from "../thread.ts";
import type { Mail } from "./mail.ts";

/** A mail of the bot's that did not arrive. */
export interface Undelivered {
  readonly messageId: string;
  readonly kind: OwnKind;
  /** "" when the report does not say. */
  readonly recipient: string;
  readonly subject: string;
  /** The last server's words. */
  readonly reason: string;
}

const WORDS_MAX = 300;

/**
 * What a report says of a mail of the bot's; null when it is about another mail, or that one may
 * still arrive. The id of the returned mail cannot be guessed by who never got one.
 */
export async function readReport({ files }: Mail): Promise<Undelivered | null> {
  const status = files.find(({ type }) => type === "message/delivery-status");
  const returned = files.find(({ type }) => /^(message\/rfc822|text\/rfc822-headers)$/.test(type));
  if (status === undefined || returned === undefined) return null;
  const fields = statusFields(new TextDecoder().decode(status.bytes));
  if (fields.get("action")?.toLowerCase() !== "failed") return null;
  const { messageId, subject } = await parseHead(returned.bytes);
  const own = messageId === null ? null : readOwnId(messageId);
  if (messageId === null || own === null) return null;
  const recipient = fields.get("final-recipient") ?? fields.get("original-recipient") ?? "";
  const reason = fields.get("diagnostic-code") ?? fields.get("status") ?? "no reason was given";
  return {
    messageId,
    kind: own.kind,
    recipient: plain(recipient.replace(/^[^;]*;/, "")),
    subject: plain(subject),
    reason: plain(reason.replace(/^[^;]{0,20};/, "")),
  };
}

/** The fields of the report, by name in lower case; those of the first recipient that failed. */
function statusFields(text: string): ReadonlyMap<string, string> {
  const groups = text.replace(/\r\n?/g, "\n").split(/\n\s*\n/).map((group) => {
    const lines = group.replace(/\n[ \t]+/g, " ").split("\n");
    return new Map(lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
    }));
  });
  return groups.find((group) => group.get("action")?.toLowerCase() === "failed") ??
    groups.find((group) => group.has("action")) ?? new Map();
}

/** One line that can do no harm in a message. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim().slice(0, WORDS_MAX).toWellFormed();
}
