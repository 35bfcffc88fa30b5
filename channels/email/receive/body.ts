/**
 * What a mail says, as text for the model: what it is about, who else has it, the words, the files.
 * @module
 */

import { htmlText } from "../adapters/html_text.ts";
import type { Mail } from "./mail.ts";
import { ownWords } from "./quotes.ts";

/** What reading needs to know. */
export interface BodyOptions {
  readonly maxBodyChars: number;
  /** The bot's own addresses, in lower case. */
  readonly ownAddresses: ReadonlySet<string>;
  /** The conversation knows what is answered; otherwise the quote below is all that tells. */
  readonly isQuoteKnown: boolean;
}

const EMPTY = "(empty mail)";
const OTHERS_MAX = 20;
/** Subjects of answers, in the languages that mail programs speak. */
const ANSWER_SUBJECT =
  /^\s*(re|aw|antw|sv|vs|rv|odp|res|回复|答复|回覆|返信|답장)\s*(\[\d+\])?\s*[:：]/i;

/** Whether a mail answers another one. */
export function isAnswer({ subject, references }: Pick<Mail, "subject" | "references">): boolean {
  return references.length > 0 || ANSWER_SUBJECT.test(subject);
}

/** The words of a mail: its text or, without one, its page; without quote and signature. */
export async function wordsOf(mail: Mail, options: BodyOptions): Promise<string> {
  const { maxBodyChars, isQuoteKnown } = options;
  const text = mail.text.trim() === "" ? await htmlText(mail.html) : mail.text;
  // Whoever hides thousands of pages in a mail shall not keep us from others.
  const near = text.slice(0, maxBodyChars * 4).toWellFormed().replaceAll("\0", "");
  const words = ownWords(near, isAnswer(mail) && isQuoteKnown);
  return words.length > maxBodyChars
    ? `${words.slice(0, maxBodyChars).toWellFormed()}\n[cut: the mail is longer]`
    : words;
}

/** Lines that stand above the words. */
export function linesAbove(mail: Mail, { ownAddresses }: BodyOptions): readonly string[] {
  const others = [...mail.to, ...mail.cc].filter(({ address }) => !ownAddresses.has(address))
    .map(({ name, address }) => name === "" ? address : `${name} <${address}>`);
  const isNew = !isAnswer(mail) && mail.subject !== "";
  return [
    ...(isNew ? [`[subject: ${mail.subject.slice(0, 500).toWellFormed()}]`] : []),
    ...(others.length > 0 ? [`[also to: ${others.slice(0, OTHERS_MAX).join(", ")}]`] : []),
  ];
}

/** The whole text. @param below lines about files */
export function composed(
  above: readonly string[],
  words: string,
  below: readonly string[],
): string {
  const text = words === "" && below.length === 0 ? EMPTY : words;
  return [...above, text, ...below].filter((line) => line !== "").join("\n");
}
