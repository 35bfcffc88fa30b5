/**
 * What a person wrote in a mail, without what their program put below: the mail that is answered,
 * and the signature. Line by line, in a time that grows with the length.
 * @module
 */

/** How programs end the words of the one who writes. */
const SEPARATORS: readonly RegExp[] = [
  /^-{2,}\s*(original message|original appointment|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht)\s*-{2,}$/i,
  /^-{2,}\s*(原始邮件|原始郵件|回复的原邮件|元のメッセージ|원본 메시지)\s*-{2,}$/,
];
/** A rule, which separates when a block follows. */
const RULE = /^_{20,}$/;
/** The first line of a block that names the answered mail: `From: …`, with further such lines. */
const BLOCK_START =
  /^\*?(from|von|de|da|van|发件人|寄件者|寄件人|差出人|보낸사람|от)\s*\*?\s*[:：]/i;
const BLOCK_LINE =
  /^\*?(from|sent|to|cc|date|subject|von|gesendet|an|betreff|datum|de|envoyé|à|objet|da|inviato|a|oggetto|发件人|发送时间|收件人|抄送|主题|日期|寄件者|寄件人|收件者|主旨|差出人|送信日時|宛先|件名|보낸사람|받는사람|от|кому|тема|отправлено)\s*\*?\s*[:：]/i;
/** The end of a line such as `On Monday X wrote:`. */
const ATTRIBUTION =
  /(\b(wrote|writes|schrieb|a écrit|escribió|ha scritto|schreef|escreveu|skrev|napisał)\b.{0,80}[:：]|(写道|写到|寫道|のメール|書きました|пишет|написал|написала|님이 작성)[:：]?|<[^<>\s]{1,200}@[^<>\s]{1,200}>.{0,20}[:：])$/i;
/** How one begins that names the time first. */
const ATTRIBUTION_START = /^(on|am|le|el|il|op|em|den|dnia)\b|^\d{4}|^[在于]/i;
/** It may be broken over a few lines. */
const ATTRIBUTION_LINES_MAX = 4;
/** Lines that are longer are somebody's words. */
const MARK_CHARS_MAX = 300;
/** The sign that stands before a signature; the space belongs to it. */
const SIGNATURE = "-- ";
const SIGNATURE_LINES_MAX = 15;
/** What telephones write. */
const DEVICE =
  /^(sent from my \w|get outlook for|von meinem \w+ gesendet|gesendet mit der|envoyé de mon|enviado desde mi|inviato da|发自我的|發自我的|iPhoneから送信|나의 iPhone에서 보냄)/i;
const DEVICE_CHARS_MAX = 80;

/**
 * The words of the one who writes.
 *
 * @param isAnswer it answers a mail, which may stand below; otherwise all of it is new
 */
export function ownWords(text: string, isAnswer: boolean): string {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const kept = isAnswer ? withoutTrailingQuote(beforeSeparator(lines)) : lines;
  const own = withoutSignature(kept).join("\n").trim();
  // Who answers by a quote alone, or only signs, means it.
  return own === "" ? text.trim() : own;
}

function beforeSeparator(lines: readonly string[]): readonly string[] {
  const separator = lines.findIndex((_line, at) => isSeparator(lines, at));
  return separator === -1 ? lines : lines.slice(0, separator);
}

function isSeparator(lines: readonly string[], at: number): boolean {
  const line = markAt(lines, at);
  if (line === "") return false;
  if (SEPARATORS.some((pattern) => pattern.test(line))) return true;
  if (RULE.test(line)) return isBlock(lines, nextText(lines, at + 1));
  return isBlock(lines, at);
}

/** Whether at least three lines name a mail there. */
function isBlock(lines: readonly string[], at: number): boolean {
  const second = nextText(lines, at + 1);
  const third = nextText(lines, second + 1);
  return BLOCK_START.test(markAt(lines, at)) && BLOCK_LINE.test(markAt(lines, second)) &&
    BLOCK_LINE.test(markAt(lines, third));
}

/** The next line that is not blank; it is looked for nearby. */
function nextText(lines: readonly string[], from: number): number {
  return markAt(lines, from) === "" ? from + 1 : from;
}

/** A line that may be a mark; "" for one that is too long, or is not there. */
function markAt(lines: readonly string[], at: number): string {
  const line = lines[at] ?? "";
  return line.length > MARK_CHARS_MAX ? "" : line.trim();
}

/** Quotes between the own words stay: they say what is answered. */
function withoutTrailingQuote(lines: readonly string[]): readonly string[] {
  // Some programs put the signature below the quote.
  const quoteEnd = lastText(lines, signatureStart(lines) ?? lines.length);
  let start = quoteEnd;
  while (start > 0 && /^(>|\s*$)/.test(lines[start - 1] ?? "")) start--;
  const isQuote = lines.slice(start, quoteEnd).some((line) => line.startsWith(">"));
  return isQuote ? lines.slice(0, withoutAttribution(lines, lastText(lines, start))) : lines;
}

/** The end of the text before a line such as `On Monday X wrote:`. */
function withoutAttribution(lines: readonly string[], end: number): number {
  for (let count = 1; count <= Math.min(ATTRIBUTION_LINES_MAX, end); count++) {
    const block = lines.slice(end - count, end).map((line) => line.trim());
    const text = block.join(" ");
    if (block.includes("") || text.length > MARK_CHARS_MAX || !ATTRIBUTION.test(text)) break;
    if (ATTRIBUTION_START.test(text)) return lastText(lines, end - count);
  }
  return ATTRIBUTION.test(markAt(lines, end - 1)) ? lastText(lines, end - 1) : end;
}

function withoutSignature(lines: readonly string[]): readonly string[] {
  const end = lastText(lines, signatureStart(lines) ?? lines.length);
  const last = (lines[end - 1] ?? "").trim();
  const isDevice = last.length < DEVICE_CHARS_MAX && DEVICE.test(last);
  return lines.slice(0, isDevice ? end - 1 : end);
}

/** Where the signature begins; null without one. */
function signatureStart(lines: readonly string[]): number | null {
  const end = lastText(lines, lines.length);
  const at = lines.lastIndexOf(SIGNATURE, end);
  return at === -1 || end - at > SIGNATURE_LINES_MAX ? null : at;
}

/** The number of lines up to the last of the first `end` that is not blank. */
function lastText(lines: readonly string[], end: number): number {
  let last = end;
  while (last > 0 && (lines[last - 1] ?? "").trim() === "") last--;
  return last;
}
