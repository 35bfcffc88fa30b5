/**
 * Takes leaked reasoning markup out of a model's text, as a whole or while it grows.
 * @module
 */

const BLOCK_NAMES = ["think", "thought"] as const;
type BlockName = (typeof BLOCK_NAMES)[number];

/** Dropped at the very start and end of a text; in the middle somebody writes about them. */
const EDGE_MARKS = ["</think>", "</thought>", "<channel|>", "<|channel|>"] as const;
/** What may follow an opener's name without making it a broken one: the name may go on. */
const CONTINUES_NAME = /[A-Za-z0-9_\-:>/]/;
const MARK_STARTS: readonly string[] = [
  ...BLOCK_NAMES.map((name) => `<${name}`),
  ...EDGE_MARKS,
];

/** What stands at a `<`. */
type Mark =
  /** More text is needed to tell. */
  | { readonly type: "undecided" }
  | { readonly type: "literal" }
  | { readonly type: "opener"; readonly name: BlockName; readonly length: number }
  /** An opener without `>` that runs into text. */
  | { readonly type: "broken"; readonly length: number }
  | { readonly type: "edge"; readonly length: number };

/** A block that has begun and whose closer was not seen yet. */
interface OpenBlock {
  readonly name: BlockName;
  /** What it holds so far, in case that it never closes; null where that is dropped anyway. */
  readonly parts: string[] | null;
  /** The last characters, which may hold the beginning of the closer. */
  tail: string;
}

/**
 * The text without reasoning:
 *
 * - closed `<think>` and `<thought>` blocks go, wherever they are; one that never closes goes only
 *   if nothing visible stands before it (else it is a mention);
 * - `<think` that runs into text goes, and the text stays;
 * - orphan closers and `<channel|>` marks go at the start and at the end;
 * - in fenced code, and right behind a backtick, everything stays.
 *
 * The result is trimmed.
 */
export function visibleText(text: string): string {
  const cleaner = new VisibleText();
  return cleaner.push(text) + cleaner.end();
}

/**
 * {@link visibleText} for a text that comes in pieces. What was shown is never taken back: all that
 * was returned, joined, is `visibleText` of all that was pushed, wherever the pieces are cut. Cost
 * grows with the text, not with the number of pieces.
 */
export class VisibleText {
  /** Raw text from a `<` on that may become a mark. */
  #undecided = "";
  /** Blanks and edge marks: shown when text follows them, dropped at the end. */
  #held = "";
  #hasShown = false;
  #block: OpenBlock | null = null;
  /** Names of blocks that never close, which is known at the end. */
  readonly #unclosed = new Set<BlockName>();
  readonly #code = new FenceTracker();

  /** Takes the next piece and gives the text that can be shown because of it. */
  push(delta: string): string {
    return this.#scan(delta, false);
  }

  /** Ends the text and gives what could not be shown before. */
  end(): string {
    let shown = this.#scan("", true);
    while (this.#block !== null) {
      const { name, parts } = this.#block;
      this.#block = null;
      if (parts === null) break;
      this.#unclosed.add(name);
      shown += this.#show(`<${name}>`) + this.#scan(parts.join(""), true);
    }
    this.#held = "";
    return shown;
  }

  #scan(delta: string, isEnd: boolean): string {
    const text = this.#undecided + delta;
    this.#undecided = "";
    let shown = "";
    let at = 0;
    while (at < text.length) {
      if (this.#block !== null) {
        at = this.#skipBlock(this.#block, text, at);
        continue;
      }
      const markAt = text.indexOf("<", at);
      if (markAt !== at) {
        const plainEnd = markAt === -1 ? text.length : markAt;
        shown += this.#show(text.slice(at, plainEnd));
        at = plainEnd;
        continue;
      }
      const mark = this.#code.isCode ? LITERAL : readMark(text, at, isEnd);
      if (mark.type === "undecided") {
        this.#undecided = text.slice(at);
        break;
      }
      shown += this.#take(mark, text, at);
      at += lengthOf(mark);
    }
    return shown;
  }

  #take(mark: Exclude<Mark, { type: "undecided" }>, text: string, at: number): string {
    switch (mark.type) {
      case "literal":
        return this.#show("<");
      case "opener":
        if (this.#hasShown && this.#unclosed.has(mark.name)) return this.#show(`<${mark.name}>`);
        this.#block = { name: mark.name, parts: this.#hasShown ? [] : null, tail: "" };
        return "";
      case "broken":
        return "";
      case "edge":
        if (this.#hasShown) this.#held += text.slice(at, at + mark.length);
        return "";
    }
  }

  /** Gives where the text goes on behind the block's closer, or the text's end. */
  #skipBlock(block: OpenBlock, text: string, at: number): number {
    const closer = `</${block.name}>`;
    const searched = block.tail + text.slice(at);
    const closerAt = searched.indexOf(closer);
    if (closerAt === -1) {
      block.parts?.push(text.slice(at));
      block.tail = searched.slice(-(closer.length - 1));
      return text.length;
    }
    this.#block = null;
    return at + closerAt + closer.length - block.tail.length;
  }

  #show(text: string): string {
    this.#code.push(text);
    const visible = this.#hasShown ? text : text.trimStart();
    const body = visible.trimEnd();
    if (body === "") {
      this.#held += visible;
      return "";
    }
    const shown = this.#held + body;
    this.#held = visible.slice(body.length);
    this.#hasShown = true;
    return shown;
  }
}

const LITERAL = { type: "literal" } as const;

/** Follows the raw visible text and knows whether a mark at its end would be code. */
class FenceTracker {
  #line: string[] = [];
  #fence: string | null = null;
  #isAfterBacktick = false;

  get isCode(): boolean {
    return this.#fence !== null || this.#isAfterBacktick;
  }

  push(text: string): void {
    if (text === "") return;
    this.#isAfterBacktick = text.endsWith("`");
    const lines = text.split("\n");
    for (const [index, piece] of lines.entries()) {
      this.#line.push(piece);
      if (index < lines.length - 1) this.#endLine();
    }
  }

  #endLine(): void {
    const line = this.#line.join("");
    this.#line = [];
    if (this.#fence === null) {
      this.#fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? null;
      return;
    }
    const closing = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
    if (closing?.startsWith(this.#fence)) this.#fence = null;
  }
}

function readMark(text: string, at: number, isEnd: boolean): Mark {
  for (const name of BLOCK_NAMES) {
    const length = name.length + 1;
    if (!text.startsWith(`<${name}`, at)) continue;
    const next = text[at + length];
    if (next === ">") return { type: "opener", name, length: length + 1 };
    if (next === undefined && !isEnd) return { type: "undecided" };
    const isBroken = next === undefined || !CONTINUES_NAME.test(next);
    return isBroken ? { type: "broken", length } : LITERAL;
  }
  const edge = EDGE_MARKS.find((mark) => text.startsWith(mark, at));
  if (edge !== undefined) return { type: "edge", length: edge.length };
  if (isEnd) return LITERAL;
  const rest = text.slice(at, at + 12);
  return MARK_STARTS.some((start) => start.startsWith(rest)) ? { type: "undecided" } : LITERAL;
}

function lengthOf(mark: Exclude<Mark, { type: "undecided" }>): number {
  return mark.type === "literal" ? 1 : mark.length;
}
