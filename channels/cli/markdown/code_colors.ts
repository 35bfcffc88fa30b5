/**
 * Colours for code, line by line as it is written: comments, strings, numbers and the words of a
 * language. It reads no grammar, so that it costs nothing to load and is never behind a stream.
 * @module
 */

/** What a piece of code is. */
export type CodePart = "plain" | "comment" | "string" | "number" | "keyword" | "added" | "removed";

/** Colours the lines of one block, in order. */
export type ColorLine = (line: string) => readonly (readonly [part: CodePart, text: string])[];

/** How a family of languages is written. */
interface Family {
  readonly names: readonly string[];
  readonly keywords: string;
  /** What begins a comment to the end of the line. */
  readonly lineComments: readonly string[];
  readonly blockComment?: readonly [open: string, close: string];
  /** Longest first; those of more than one character, and backticks, go over lines. */
  readonly quotes: readonly string[];
}

const SYSTEM_WORDS =
  "abstract as async auto await bool break byte case catch chan char class const " +
  "continue crate default defer do double dyn else enum extends false final finally float fn " +
  "for func fun go goto guard if impl implements import in int interface internal let long " +
  "loop map match mod module move mut namespace new nil null nullptr object override package " +
  "private protected pub public range ref return self short sizeof static str string struct " +
  "super switch template this throw throws trait true try type typedef union unsafe unsigned " +
  "use using val var virtual void when where while";

const FAMILIES: readonly Family[] = [
  {
    names: ["ts", "typescript", "tsx", "js", "javascript", "jsx", "mjs"],
    keywords: "abstract as async await break case catch class const continue default delete do " +
      "else enum export extends false finally for from function get if implements import in " +
      "instanceof interface is keyof let new null of override private protected public readonly " +
      "return satisfies set static super switch this throw true try type typeof undefined using " +
      "var void while with yield",
    lineComments: ["//"],
    blockComment: ["/*", "*/"],
    quotes: ["`", '"', "'"],
  },
  {
    names: ["py", "python", "python3"],
    keywords:
      "and as assert async await break case class continue def del elif else except False " +
      "finally for from global if import in is lambda match None nonlocal not or pass raise " +
      "return self True try while with yield",
    lineComments: ["#"],
    quotes: ['"""', "'''", '"', "'"],
  },
  {
    names: ["c", "cpp", "c++", "cs", "csharp", "go", "java", "kotlin", "kt", "php", "swift"]
      .concat(["scala", "dart", "zig"]),
    keywords: SYSTEM_WORDS,
    lineComments: ["//"],
    blockComment: ["/*", "*/"],
    quotes: ["`", '"', "'"],
  },
  // Its apostrophes are lifetimes as often as they are letters.
  {
    names: ["rs", "rust"],
    keywords: SYSTEM_WORDS,
    lineComments: ["//"],
    blockComment: ["/*", "*/"],
    quotes: ['"'],
  },
  {
    names: ["sh", "bash", "shell", "zsh", "fish", "console", "dockerfile", "makefile"],
    keywords: "case do done elif else esac exit export fi for function if in local return set " +
      "shift source then trap unset until while FROM RUN COPY ENV CMD ENTRYPOINT WORKDIR ARG",
    lineComments: ["#"],
    quotes: ['"', "'"],
  },
  {
    names: ["json", "jsonc", "json5", "yaml", "yml", "toml", "ini"],
    keywords: "true false null yes no on off",
    lineComments: ["#", "//"],
    quotes: ['"', "'"],
  },
  {
    names: ["sql", "sqlite", "postgres", "mysql"],
    keywords: "add all alter and as asc begin between by case commit create delete desc distinct " +
      "drop else end exists from group having if in index inner insert into is join key left " +
      "limit not null on or order outer primary references right rollback select set table then " +
      "union unique update values view when where with",
    lineComments: ["--"],
    blockComment: ["/*", "*/"],
    quotes: ["'", '"'],
  },
];

/** A longer line is data rather than code, and stays as it is. */
const LINE_CHARS_MAX = 2_000;
const NUMBER = /^(?:0x[\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)/i;
const WORD = /^[\p{L}_$][\p{L}\p{N}_$]*/u;

/** What colours the lines of a block in `language`; null for a language that is not known. */
export function codeColors(language: string): ColorLine | null {
  const name = language.toLowerCase();
  if (name === "diff" || name === "patch") return diffLine;
  const family = FAMILIES.find(({ names }) => names.includes(name));
  return family === undefined ? null : new CodeReader(family).line;
}

function diffLine(line: string): ReturnType<ColorLine> {
  const part = /^@@|^(?:diff|index|---|\+\+\+) /.test(line)
    ? "comment"
    : line.startsWith("+")
    ? "added"
    : line.startsWith("-")
    ? "removed"
    : "plain";
  return [[part, line]];
}

/** Reads line after line; remembers what was not closed. */
class CodeReader {
  readonly #family: Family;
  readonly #keywords: ReadonlySet<string>;
  readonly #ignoresCase: boolean;
  /** What closes the comment or string that goes on, and which it is. */
  #open: readonly [part: "comment" | "string", close: string] | null = null;

  constructor(family: Family) {
    this.#family = family;
    this.#keywords = new Set(family.keywords.split(" "));
    this.#ignoresCase = family.names.includes("sql");
  }

  readonly line: ColorLine = (line) => {
    if (line.length > LINE_CHARS_MAX) return [["plain", line]];
    const parts: [CodePart, string][] = [];
    for (let rest = line; rest !== "";) {
      const [part, text] = this.#next(rest, line[line.length - rest.length - 1] ?? "");
      const last = parts.at(-1);
      if (last !== undefined && last[0] === part) last[1] += text;
      else parts.push([part, text]);
      rest = rest.slice(text.length);
    }
    return parts;
  };

  #next(rest: string, before: string): [CodePart, string] {
    if (this.#open !== null) return this.#goOn(rest, this.#open, 0);
    const { lineComments, blockComment, quotes } = this.#family;
    if (blockComment !== undefined && rest.startsWith(blockComment[0])) {
      return this.#goOn(rest, ["comment", blockComment[1]], blockComment[0].length);
    }
    // In `a#b` and `http://` nothing begins.
    const canComment = !/[\w:$\\]/.test(before);
    if (canComment && lineComments.some((sign) => rest.startsWith(sign))) return ["comment", rest];
    const quote = quotes.find((sign) => rest.startsWith(sign));
    // An apostrophe in a word, or the only one of a line, opens no string.
    if (quote !== undefined && !(quote === "'" && (/\w/.test(before) || !rest.includes("'", 1)))) {
      return this.#goOn(rest, ["string", quote], quote.length);
    }
    const word = WORD.exec(rest)?.[0];
    if (word !== undefined) {
      const known = this.#ignoresCase ? word.toLowerCase() : word;
      return [this.#keywords.has(known) ? "keyword" : "plain", word];
    }
    const number = NUMBER.exec(rest)?.[0];
    return number === undefined ? ["plain", rest[0] ?? ""] : ["number", number];
  }

  #goOn(
    rest: string,
    open: readonly ["comment" | "string", string],
    from: number,
  ): [CodePart, string] {
    const [part, close] = open;
    let end = from;
    while (end < rest.length && !rest.startsWith(close, end)) {
      end += part === "string" && rest[end] === "\\" ? 2 : 1;
    }
    const isClosed = rest.startsWith(close, end);
    // A simple quote that is not closed is a slip, or prose: the next line begins anew.
    const goesOver = part === "comment" || close.length > 1 || close === "`";
    this.#open = isClosed || !goesOver ? null : open;
    return [part, isClosed ? rest.slice(0, end + close.length) : rest];
  }
}
