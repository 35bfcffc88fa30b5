/**
 * The Markdown that models write, as tokens: GitHub's dialect, with mathematics kept literal and
 * emphasis read the way people mean it.
 * @module
 */

import { Marked, type MarkedToken, type Token, type TokenizerExtension } from "marked";

/** A block or inline token. */
export type MarkdownToken = MarkedToken;

/** `5*3*2`, `2**3**2`: operators between numbers or names, no emphasis. */
const OPERATOR = /^(\*{1,2})[^*\s][^*\n]*?\1(?=[A-Za-z0-9(])/;
const OPERAND_BEFORE = /[A-Za-z0-9)\]]$/;
/** `__init__` is a name. */
const DUNDER = /^__\w+__(?!\w)/;
/** `10~20`, `~5`: a range or "about"; two strike through. */
const ABOUT = /^~(?!~)/;
/** Bold beside punctuation and Han characters, which the standard's rules leave as stars. */
const BOLD = /^\*\*(?=[^\s*])((?:`[^`\n]+`|[^*\n`\\])*[^\s*\\])\*\*(?!\*)/;
const INLINE_MATH = /^(?:\$(?![\s$])[^$\n`]*?[^\s$\\`]\$(?!\d)|\\\((?:[^\n\\]|\\(?!\)))+\\\))/;
const BLOCK_MATH = /^ {0,3}(?:\$\$\s*([\s\S]+?)\s*\$\$|\\\[\s*([\s\S]+?)\s*\\\])[ \t]*(?:\n+|$)/;

const operators: TokenizerExtension = {
  name: "operators",
  level: "inline",
  tokenizer(src, tokens) {
    const dunder = DUNDER.exec(src)?.[0];
    if (dunder !== undefined) return literal(dunder);
    if (ABOUT.test(src)) return literal("~");
    const marks = OPERATOR.exec(src)?.[1];
    if (marks === undefined || !OPERAND_BEFORE.test(tokens.at(-1)?.raw ?? "")) return undefined;
    const isPower = marks.length === 1 || /[0-9]$/.test(tokens.at(-1)?.raw ?? "");
    return isPower ? literal(marks) : undefined;
  },
};

const bold: TokenizerExtension = {
  name: "bold",
  level: "inline",
  tokenizer(src) {
    const match = BOLD.exec(src);
    if (match === null) return undefined;
    const text = match[1] ?? "";
    return { type: "strong", raw: match[0], text, tokens: this.lexer.inlineTokens(text) };
  },
};

const inlineMath: TokenizerExtension = {
  name: "inlineMath",
  level: "inline",
  start: (src) => /\$|\\\(/.exec(src)?.index,
  tokenizer(src) {
    const raw = INLINE_MATH.exec(src)?.[0];
    return raw === undefined ? undefined : literal(raw);
  },
};

const blockMath: TokenizerExtension = {
  name: "blockMath",
  level: "block",
  // Only a paragraph can be in the way, and that ends at a blank line.
  start: (src) => /\n(?= {0,3}(?:\$\$|\\\[))/.exec(upToBlankLine(src))?.index,
  tokenizer(src) {
    const match = BLOCK_MATH.exec(src);
    if (match === null) return undefined;
    return { type: "code", raw: match[0], lang: "latex", text: match[1] ?? match[2] ?? "" };
  },
};

function upToBlankLine(text: string): string {
  const end = text.indexOf("\n\n");
  return end < 0 ? text : text.slice(0, end);
}

const parser = new Marked({ gfm: true });
// What is added last is asked first.
parser.use({ extensions: [bold, operators, inlineMath, blockMath] });

/** Deeper nesting is no text for people, and would exhaust the stack of all that walks it. */
const DEPTH_MAX = 100;

/**
 * The blocks of `text`, in order, without the space between them. What is nested beyond reason is
 * one block of code: it shows the text as it stands.
 */
export function parseMarkdown(text: string): readonly MarkdownToken[] {
  const blocks = walkable(() => parser.lexer(text)) ?? [{ type: "code", raw: text, text }];
  return blocks.filter(({ type }) => type !== "space");
}

/** The inline tokens of one line or paragraph; nested beyond reason, the text as it stands. */
export function parseInline(text: string): readonly MarkdownToken[] {
  return walkable(() => parser.Lexer.lexInline(text, parser.defaults)) ?? known([literal(text)]);
}

/** What `parse` gives; null where that is nested too deep, for the parser, which recurses, too. */
function walkable(parse: () => readonly Token[]): readonly MarkdownToken[] | null {
  try {
    const tokens = known(parse());
    return isDeep(tokens) ? null : tokens;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function isDeep(blocks: readonly MarkdownToken[]): boolean {
  let level = blocks;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

function childrenOf(token: MarkdownToken): readonly MarkdownToken[] {
  if (token.type === "list") return token.items;
  if (token.type === "table") {
    return [token.header, ...token.rows].flat().flatMap(({ tokens }) => known(tokens));
  }
  return "tokens" in token ? known(token.tokens) : [];
}

/** Those of `tokens` that the parser itself names: all, as no extension adds a type. */
export function known(tokens: readonly Token[] | undefined): readonly MarkdownToken[] {
  return (tokens ?? []).filter(isKnown);
}

const TYPES: ReadonlySet<string> = new Set<MarkedToken["type"]>([
  "blockquote",
  "br",
  "checkbox",
  "code",
  "codespan",
  "def",
  "del",
  "em",
  "escape",
  "heading",
  "hr",
  "html",
  "image",
  "link",
  "list",
  "list_item",
  "paragraph",
  "space",
  "strong",
  "table",
  "text",
]);

function isKnown(token: Token): token is MarkedToken {
  return TYPES.has(token.type);
}

/** Text whose characters all stand for themselves. */
function literal(raw: string): { type: "escape"; raw: string; text: string } {
  return { type: "escape", raw, text: raw };
}
