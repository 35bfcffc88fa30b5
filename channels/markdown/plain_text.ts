/**
 * A text as messages without any marks, for platforms that know none: what Markdown says, as people
 * would write it by hand.
 * @module
 */

import { known, type MarkdownToken, parseMarkdown } from "./markdown.ts";

/** How a text is laid out. */
export interface PlainOptions {
  /** It is no Markdown, and stands as it is. */
  readonly isPlain: boolean;
  /** UTF-16 units that a message holds. */
  readonly charsMax: number;
}

const SEPARATOR = "\n\n";
const RULE = "———";
const INDENT = "  ";
const WEB_ADDRESS = /^(?:https?:\/\/|mailto:)/i;
const LINE_BREAK = /^<br\s*\/?>$/i;
/** The longest character that is kept whole: families and flags are made of many. */
const CHARACTER_UNITS_MAX = 64;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The messages that say `text`, in order; none is blank. */
export function plainPieces(text: string, { isPlain, charsMax }: PlainOptions): readonly string[] {
  const blocks = isPlain ? [text.trim()] : blocksOf(parseMarkdown(text));
  const pieces: string[] = [];
  let piece = "";
  for (const block of blocks) {
    const whole = piece === "" ? block : piece + SEPARATOR + block;
    if (whole.length <= charsMax) {
      piece = whole;
      continue;
    }
    if (piece !== "") pieces.push(piece);
    const cut = cutText(block, charsMax);
    pieces.push(...cut.slice(0, -1));
    piece = cut.at(-1) ?? "";
  }
  return [...pieces, piece].filter((one) => one.trim() !== "");
}

/** Text in pieces: cut at lines where that does, else between words, and never in a character. */
export function cutText(text: string, charsMax: number): readonly string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > charsMax) {
    const head = rest.slice(0, charsMax + 1);
    const border = [head.lastIndexOf("\n"), head.lastIndexOf(" ")].find((at) => at > charsMax / 2);
    const end = border ?? characterBorder(rest, charsMax);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = border === undefined ? rest.slice(end) : rest.slice(end + 1);
  }
  return [...pieces, rest];
}

/** The last border between characters, as people see them, up to `charsMax`. */
function characterBorder(text: string, charsMax: number): number {
  const from = Math.max(0, charsMax - 4 * CHARACTER_UNITS_MAX);
  let border = 0;
  const near = text.slice(from, charsMax + CHARACTER_UNITS_MAX);
  for (const { index, segment } of graphemes.segment(near)) {
    // The first one may be the rest of another.
    if (from > 0 && index === 0) continue;
    const end = from + index + segment.length;
    if (end > charsMax) break;
    border = end;
  }
  return border > 0 ? border : charsMax;
}

/** The text without marks, whatever its length. */
export function plainText(markdown: string): string {
  return blocksOf(parseMarkdown(markdown)).join(SEPARATOR);
}

function blocksOf(tokens: readonly MarkdownToken[]): readonly string[] {
  return tokens.map(blockText).filter((block) => block.trim() !== "");
}

function blockText(token: MarkdownToken): string {
  switch (token.type) {
    case "space":
    case "def":
      return "";
    case "code":
      return token.text;
    case "table":
      return [token.header, ...token.rows].map((row) =>
        row.map((cell) => inlineText(known(cell.tokens)).replace(/\s+/g, " ").trim()).join(" | ")
      ).join("\n");
    case "blockquote":
      return blocksOf(known(token.tokens)).join(SEPARATOR).split("\n")
        .map((line) => `> ${line}`.trimEnd()).join("\n");
    case "list":
      return listText(token);
    case "hr":
      return RULE;
    case "html":
      return token.raw.trim();
    default: {
      const children = "tokens" in token ? known(token.tokens) : [];
      return inlineText(children.length > 0 ? children : [token]);
    }
  }
}

function listText(list: Extract<MarkdownToken, { readonly type: "list" }>): string {
  const first = typeof list.start === "number" ? list.start : 1;
  return list.items.map((item, index) => {
    const bullet = list.ordered ? `${first + index}. ` : item.task ? "" : "• ";
    const box = item.task ? item.checked ? "☑ " : "☐ " : "";
    const inner = known(item.tokens).filter(({ type }) => type !== "checkbox");
    const [head = "", ...rest] = blocksOf(inner).join("\n").split("\n");
    return [bullet + box + head, ...rest.map((line) => INDENT + line)].join("\n");
  }).join("\n");
}

function inlineText(tokens: readonly MarkdownToken[]): string {
  return tokens.map(tokenText).join("");
}

function tokenText(token: MarkdownToken): string {
  switch (token.type) {
    case "codespan":
    case "escape":
      return token.text;
    case "br":
      return "\n";
    case "html":
      return LINE_BREAK.test(token.raw) ? "\n" : token.raw;
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "image":
      return withAddress(token.text.trim() || "image", token.href);
    case "link":
      return withAddress(inlineText(known(token.tokens)), token.href);
    default: {
      const children = "tokens" in token ? known(token.tokens) : [];
      return children.length > 0 ? inlineText(children) : token.raw;
    }
  }
}

/** The address stands behind its words, unless they are the same. */
function withAddress(words: string, href: string): string {
  const isNamed = words === href || `mailto:${words}` === href;
  return isNamed || !WEB_ADDRESS.test(href) ? words : `${words} (${href})`;
}
