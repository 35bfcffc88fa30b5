/**
 * The Markdown that models write, as tokens: GitHub's dialect, with mathematics kept literal and
 * emphasis read the way people mean it.
 * @module
 */

import { invariant } from "../../actors/kernel/invariant.ts";
import {
  Lexer,
  Marked,
  type MarkedToken,
  type Token,
  Tokenizer,
  type TokenizerExtension,
  type Tokens,
  type TokensList,
} from "marked";

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
const BLOCK_MATH_START = /^ {0,3}(\$\$|\\\[)/;
const BLOCK_MATH_BEFORE = /\n(?= {0,3}(?:\$\$|\\\[))|\n\n/;
const REST_OF_LINE = /[ \t]*(?:\n+|$)/y;
/** A heading that is underlined is shorter. */
const UNDERLINED_CHARS_MAX = 400;
const QUOTE_START = /^ {0,3}>/;
/** A longer quote is several, one below the other. */
const QUOTE_LINES_MAX = 100;
/** A longer formula is text: it would have to be looked for in all that follows. */
const BLOCK_MATH_CHARS_MAX = 2_000;

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
  start(src) {
    if (!src.includes("$$") && !src.includes("\\[")) return undefined;
    const before = BLOCK_MATH_BEFORE.exec(src);
    return before?.[0] === "\n" ? before.index : undefined;
  },
  tokenizer(src) {
    const start = BLOCK_MATH_START.exec(src);
    if (start === null) return undefined;
    const from = start[0].length;
    const near = src.slice(from, from + BLOCK_MATH_CHARS_MAX);
    const length = near.indexOf(start[1] === "$$" ? "$$" : "\\]");
    const text = near.slice(0, Math.max(0, length)).trim();
    if (text === "") return undefined;
    REST_OF_LINE.lastIndex = from + length + 2;
    const rest = REST_OF_LINE.exec(src);
    if (rest === null) return undefined;
    return { type: "code", raw: src.slice(0, REST_OF_LINE.lastIndex), lang: "latex", text };
  },
};

const parser = new Marked({ gfm: true });
// What is added last is asked first.
parser.use({
  extensions: [bold, operators, inlineMath, blockMath],
  tokenizer: {
    // It looks through the rest of a paragraph at each of its lines.
    lheading(src) {
      const end = src.lastIndexOf("\n", UNDERLINED_CHARS_MAX);
      const near = src.length <= UNDERLINED_CHARS_MAX ? src : src.slice(0, end + 1);
      return Tokenizer.prototype.lheading.call(this, near);
    },
    // It reads the rest of a quote again at each line without a mark, once for each mark before.
    blockquote(src) {
      if (!QUOTE_START.test(src)) return undefined;
      const { lexer } = this;
      invariant(lexer instanceof BoundedLexer, "only bounded lexers read");
      const near = firstLines(src, QUOTE_LINES_MAX);
      return lexer.quote(near, () => Tokenizer.prototype.blockquote.call(this, near));
    },
  },
});

/** The first lines of `src`, at most `linesMax`. */
function firstLines(src: string, linesMax: number): string {
  let end = -1;
  for (let line = 0; line < linesMax; line++) {
    end = src.indexOf("\n", end + 1);
    if (end < 0) return src;
  }
  return src.slice(0, end + 1);
}

/** Lists and quotes in one another: more than anybody writes, or reads. */
const BLOCK_DEPTH_MAX = 12;
/** Emphasis and links in one another. */
const INLINE_DEPTH_MAX = 10;
/**
 * Steps that the marks inside of paragraphs may take in one text. Each mark may be looked for in
 * all that follows it, so marks and length count together; a page of dense, honest Markdown takes a
 * tenth of it.
 */
const INLINE_STEPS_MAX = 600_000;
/** Characters that are passed over in the time of one step. */
const CHARACTERS_PER_STEP = 32;
/** What may begin or end something inside of a paragraph. */
const MARK = /[!*_~`[\]()<>$\\&@]|:\/\//g;

/** How much the marks of one text have cost. */
class Effort {
  #steps = 0;

  /** Whether there is enough left for `text`, which then counts. */
  allows(text: string): boolean {
    const marks = text.match(MARK)?.length ?? 0;
    this.#steps += marks * (marks + text.length / CHARACTERS_PER_STEP);
    return this.#steps <= INLINE_STEPS_MAX;
  }
}

/** A line across the page that is longer is text: each line of an item has its first line looked at. */
const BREAK_CHARS_MAX = 400;
const shortBreaks = new WeakMap<RegExp, RegExp>();

/** What finds only short ones of the lines across the page that `breaks` finds. */
function shortOnly(breaks: RegExp): RegExp {
  const known = shortBreaks.get(breaks) ??
    new RegExp(breaks.source.replace("^", `^(?=.{0,${BREAK_CHARS_MAX}}$)`));
  shortBreaks.set(breaks, known);
  return known;
}

/**
 * Reads Markdown in a time that grows with its length, whatever it is: models can be made to write
 * what takes a parser minutes. What is too deep, or takes too long, stands as it is.
 */
class BoundedLexer extends Lexer {
  readonly #effort: Effort;
  #blockDepth = 0;
  #quoteDepth = 0;
  #inlineDepth = 0;

  constructor(effort: Effort) {
    super(parser.defaults);
    this.#effort = effort;
    const { tokenizer } = this.options;
    invariant(tokenizer instanceof Tokenizer, "a lexer has set up its tokenizer");
    const { rules } = tokenizer;
    const hrRegex = (indent: number) => shortOnly(rules.other.hrRegex(indent));
    tokenizer.rules = { ...rules, other: { ...rules.other, hrRegex } };
  }

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], isClipped = false): Token[] {
    if (this.#blockDepth > BLOCK_DEPTH_MAX) {
      tokens.push(unread(src));
      return tokens;
    }
    this.#blockDepth++;
    try {
      return super.blockTokens(src, tokens, isClipped);
    } finally {
      this.#blockDepth--;
    }
  }

  /** The quote at the start of `src`, by `read` as long as it stands in few others. */
  quote(src: string, read: () => Tokens.Blockquote | undefined): Tokens.Blockquote | undefined {
    if (this.#quoteDepth > BLOCK_DEPTH_MAX) {
      const raw = this.options.tokenizer?.rules.block.blockquote.exec(src)?.[0].replace(/\n$/, "");
      return raw === undefined
        ? undefined
        : { type: "blockquote", raw, text: raw, tokens: [unread(raw)] };
    }
    this.#quoteDepth++;
    try {
      return read();
    } finally {
      this.#quoteDepth--;
    }
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth > INLINE_DEPTH_MAX || !this.#effort.allows(src)) {
      tokens.push(literal(src));
      return tokens;
    }
    this.#inlineDepth++;
    try {
      return super.inlineTokens(src, tokens);
    } finally {
      this.#inlineDepth--;
    }
  }
}

/** The blocks of `text`, in order, without the space between them. */
export function parseMarkdown(text: string): readonly MarkdownToken[] {
  return known(new BoundedLexer(new Effort()).lex(text)).filter(({ type }) => type !== "space");
}

/** Reads the lines of one text, each for itself: gives the inline tokens of a line. */
export function lineParser(): (line: string) => readonly MarkdownToken[] {
  const effort = new Effort();
  return (line) => known(new BoundedLexer(effort).inlineTokens(line));
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

/** A paragraph whose characters all stand for themselves. */
function unread(raw: string): Tokens.Paragraph {
  return { type: "paragraph", raw, text: raw, tokens: [literal(raw)] };
}

/** Text whose characters all stand for themselves. */
function literal(raw: string): { type: "escape"; raw: string; text: string } {
  return { type: "escape", raw, text: raw };
}
