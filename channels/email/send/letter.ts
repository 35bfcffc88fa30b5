/**
 * What a mail of the bot's says above its words: to whom it goes, what it is about, to which mails
 * it belongs.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { type Delivery, DeliveryError } from "../../channel.ts";
import { addressOf, type EmailSection } from "../manifest.ts";
import { ownIdOf } from "../thread.ts";

/** The head of a mail. */
export interface Letter {
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  /** The words, without a line for the subject. */
  readonly text: string;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
}

const ADDRESS = /^[^\s@<>",;:\\()[\]]+@[^\s@<>",;:\\()[\]]+$/;
/** A subject that the assistant writes in front of a mail that it begins. */
const SUBJECT_LINE = /^\s*(?:\*\*)?subject(?:\*\*)?\s*:(?:\*\*)?[ \t]*(\S[^\n]*)\n/i;
const HEADING = /^\s*#{1,6}[ \t]+(\S[^\n]*)/;
const SUBJECT_CHARS_MAX = 200;
/** A subject that is made of the first words is shorter. */
const WORDS_CHARS_MAX = 60;

const contextSchema = z.object({
  thread: z.string().nullable().catch(null),
  subject: z.string().catch(""),
  message_id: z.string().nullable().catch(null),
  references: z.array(z.string()).catch([]),
  reply_to: z.string().nullable().catch(null),
});

/** The head for a delivery. @throws {DeliveryError} when there can be no such address */
export function letterFor(
  delivery: Pick<Delivery, "key" | "chatId" | "text" | "context">,
  section: EmailSection,
): Letter {
  const { thread, subject: asked, message_id: parent, references, reply_to: other } = contextSchema
    .parse(delivery.context satisfies JsonObject);
  const to = other ?? delivery.chatId;
  if (!ADDRESS.test(to)) {
    const message = `Cannot send to "${to}": it is no mail address`;
    throw new DeliveryError("delivery_permanent", message);
  }
  const { subject, text } = withoutSubjectLine(delivery.text);
  const isAnswer = thread !== null;
  return {
    messageId: ownIdOf({ key: delivery.key, thread, address: addressOf(section) }),
    to,
    subject: isAnswer ? answerSubject(asked, section.subjectPrefix) : subject ?? titleOf(text),
    text,
    inReplyTo: parent,
    references,
  };
}

/** Models like to begin a mail by its subject. */
function withoutSubjectLine(
  text: string,
): { readonly subject: string | null; readonly text: string } {
  const [line = "", subject] = SUBJECT_LINE.exec(text) ?? [];
  const rest = text.slice(line.length).trimStart();
  return subject === undefined || rest === ""
    ? { subject: null, text }
    : { subject: oneLine(unmarked(subject), SUBJECT_CHARS_MAX), text: rest };
}

function answerSubject(subject: string, prefix: string): string {
  const shown = subject === "" ? "your mail" : subject;
  return oneLine(/^re\s*:/i.test(shown) ? shown : `${prefix}${shown}`, SUBJECT_CHARS_MAX);
}

/** The heading of a mail that has no subject, or its first words. */
function titleOf(text: string): string {
  const heading = HEADING.exec(text)?.[1];
  if (heading !== undefined) return oneLine(unmarked(heading), SUBJECT_CHARS_MAX);
  const first = text.trim().split("\n", 1)[0] ?? "";
  return oneLine(unmarked(first), WORDS_CHARS_MAX) || "A message";
}

/** Words of Markdown, without its marks. */
function unmarked(text: string): string {
  return text.replace(/[*_`]+|^\s*#+\s*/g, "");
}

function oneLine(text: string, charsMax: number): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, " ").trim();
  if (line.length <= charsMax) return line;
  return `${line.slice(0, charsMax - 1).toWellFormed().trimEnd()}…`;
}
