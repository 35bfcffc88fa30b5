/**
 * The inside of paragraphs with WhatsApp's few marks. Nothing can be escaped there: a sign that
 * would mark something by accident gets invisible characters beside it.
 * @module
 */

import { known, type MarkdownToken } from "../../markdown/markdown.ts";
import type { Marks, Run } from "../../markdown/runs.ts";

/** Not seen, and no border of a word: a mark beside it marks nothing. */
export const HIDDEN = "\u200B";
const LINE_BREAK = /^<br\s*\/?>$/i;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
};
/** Signs that mark where they stand at the border of a word. */
const SIGNS = /[*_~`]+/g;
const WORD = /[\p{L}\p{N}]/u;
/** What would look like a quotation at the beginning of a line. */
const QUOTE_START = /^>(?=\s)/gm;

type Style = "bold" | "italic" | "strike" | "code";
const SIGN_OF: Readonly<Record<Style, string>> = {
  bold: "*",
  italic: "_",
  strike: "~",
  code: "`",
};

/** A stretch of text that looks the same. */
interface Piece {
  readonly text: string;
  readonly styles: readonly Style[];
}

/** Inline tokens as runs. */
export function runsOf(tokens: readonly MarkdownToken[], around?: "bold"): readonly Run[] {
  return asRuns(piecesOf(tokens, around === undefined ? [] : [around]));
}

/** Text as it is. */
export function plainRuns(text: string): readonly Run[] {
  return asRuns([{ text, styles: [] }]);
}

/** Inline tokens as text without marks, for tables. */
export function plainText(tokens: readonly MarkdownToken[]): string {
  return piecesOf(tokens, []).map(({ text }) => text).join("");
}

function piecesOf(
  tokens: readonly MarkdownToken[],
  styles: readonly Style[],
): readonly Piece[] {
  return tokens.flatMap((token): readonly Piece[] => {
    switch (token.type) {
      case "strong":
        return piecesOf(known(token.tokens), [...styles, "bold"]);
      case "em":
        return piecesOf(known(token.tokens), [...styles, "italic"]);
      case "del":
        return piecesOf(known(token.tokens), [...styles, "strike"]);
      case "codespan":
        return [{ text: token.text, styles: ["code"] }];
      case "link":
        return linkPieces(token.href, piecesOf(known(token.tokens), styles), styles);
      case "image":
        return linkPieces(token.href, [{ text: token.text.trim() || "image", styles }], styles);
      case "br":
        return [{ text: "\n", styles: [] }];
      case "escape":
        return [{ text: token.text, styles }];
      case "html":
        return [{ text: LINE_BREAK.test(token.raw) ? "\n" : token.raw, styles }];
      case "checkbox":
        return [{ text: token.checked ? "☑ " : "☐ ", styles }];
      default: {
        const children = "tokens" in token ? known(token.tokens) : [];
        if (children.length > 0) return piecesOf(children, styles);
        return [{ text: decoded(token.raw), styles }];
      }
    }
  });
}

/** An address stands behind its words: WhatsApp hides none. */
function linkPieces(
  href: string,
  words: readonly Piece[],
  styles: readonly Style[],
): readonly Piece[] {
  const text = words.map((piece) => piece.text).join("");
  if (href === "" || text === href || `mailto:${text}` === href) return words;
  return [...words, { text: ` (${href})`, styles }];
}

/** Marks hold within a line, and between borders of words; where they would not, there are none. */
function asRuns(pieces: readonly Piece[]): readonly Run[] {
  const lines = pieces.flatMap(({ text, styles }) =>
    text.split(/(\n)/).flatMap((part) => part === "" ? [] : inSpace({ text: part, styles }))
  );
  const marks = new Map<string, readonly Marks[]>();
  let lineNumber = 0;
  return lines.map(({ text, styles }, at): Run => {
    if (text === "\n") lineNumber++;
    const before = lines[at - 1]?.text.at(-1) ?? "";
    const after = lines[at + 1]?.text.at(0) ?? "";
    const isApart = (other: string, neighbour: Piece | undefined): boolean =>
      !WORD.test(other) || neighbour?.styles.join() === styles.join();
    const holds = styles.length > 0 && isApart(before, lines[at - 1]) &&
      isApart(after, lines[at + 1]);
    if (!holds) return { text: literal(text, before, after), marks: [] };
    const key = `${lineNumber} ${styles.join()}`;
    const own = marks.get(key) ?? [...new Set(styles)].map((style) => marksOf(SIGN_OF[style]));
    marks.set(key, own);
    return { text: styles.includes("code") ? unticked(text) : literal(text, "", ""), marks: own };
  });
}

/** Spaces at the ends of a stretch are not part of what is marked. */
function inSpace(piece: Piece): readonly Piece[] {
  const { text, styles } = piece;
  if (styles.length === 0 || text === "\n") return [piece];
  const [, lead = "", words = "", tail = ""] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? [];
  return [{ text: lead, styles: [] }, { text: words, styles }, { text: tail, styles: [] }]
    .filter((part): part is Piece => part.text !== "");
}

function marksOf(sign: string): Marks {
  return { open: sign, close: sign };
}

/** Signs inside of words mark nothing anyway. */
function literal(text: string, before: string, after: string): string {
  const hidden = text.replace(SIGNS, (signs, at: number) => {
    const left = text[at - 1] ?? before;
    const right = text[at + signs.length] ?? after;
    if (WORD.test(left) && WORD.test(right)) return signs;
    return HIDDEN + [...signs].join(HIDDEN) + HIDDEN;
  });
  return before === "" || before === "\n" ? hidden.replace(QUOTE_START, `${HIDDEN}>`) : hidden;
}

/** Code between single ticks ends at the first of them. */
function unticked(text: string): string {
  return text.replaceAll("`", "'");
}

function decoded(text: string): string {
  return text.replace(ENTITY, (whole, digits?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const point = digits === undefined ? Number.parseInt(hex ?? "", 16) : Number(digits);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : whole;
  });
}
