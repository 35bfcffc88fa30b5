/**
 * Markdown on a terminal that cannot take back what it has shown: each line is shown as soon as it
 * is whole. Only tables wait for their end, as their columns depend on all of their rows.
 * @module
 */

import { lineParser, type MarkdownToken } from "../../markdown/markdown.ts";
import { codeColors, type CodePart, type ColorLine } from "./code_colors.ts";
import { inlineText, type Look, styled } from "./inline.ts";
import { tableText } from "./table.ts";

/** Shows the lines of one text, in order. */
export interface LineRenderer {
  /** What becomes of a line that is given without its line end; "" while it has to wait. */
  line(source: string): string;
  /** What still waited. */
  end(): string;
}

const FENCE = /^\s{0,12}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
/** Quotes in one another: more than anybody reads. */
const QUOTES = /^(?: {0,3}> ?){1,12}/;
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9}[.)]))\s+(?:\[([ xX])\]\s+)?(.*)$/;
const DELIMITERS = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const RULE_COLUMNS_MAX = 60;
/** A longer table is shown as it was written: nobody waits that long. */
const TABLE_LINES_MAX = 200;

const LOOKS: Readonly<Record<CodePart, Look | null>> = {
  plain: null,
  comment: "gray",
  string: "green",
  number: "yellow",
  keyword: "magenta",
  added: "green",
  removed: "red",
};

/** Code that goes on: what ends it, and how its lines are coloured. */
interface OpenCode {
  readonly fence: string;
  readonly color: ColorLine | null;
}

/** Shows Markdown with looks; `columns` is asked when it matters, as a window changes. */
export class MarkdownLines implements LineRenderer {
  readonly #columns: () => number;
  readonly #inline: (line: string) => readonly MarkdownToken[] = lineParser();
  #code: OpenCode | null = null;
  /** Lines that are, or may become, a table. */
  #table: string[] = [];

  constructor(columns: () => number) {
    this.#columns = columns;
  }

  line(source: string): string {
    if (this.#code !== null) return this.#codeLine(source, this.#code);
    if (this.#table.length > 0 && this.#continuesTable(source)) {
      this.#table.push(source);
      return "";
    }
    const before = this.end();
    if (source.includes("|") && FENCE.exec(source) === null) {
      this.#table = [source];
      return before;
    }
    return before + this.#block(source);
  }

  end(): string {
    const lines = this.#table.splice(0);
    if (lines.length === 0) return "";
    const table = lines.length > 1 ? tableText(lines.join("\n"), this.#columns()) : null;
    return table ?? lines.map((line) => this.#block(line)).join("");
  }

  #continuesTable(source: string): boolean {
    if (this.#table.length === 1) return DELIMITERS.test(source) && source.includes("-");
    return source.includes("|") && this.#table.length < TABLE_LINES_MAX;
  }

  #codeLine(source: string, { fence, color }: OpenCode): string {
    if (source.trim().startsWith(fence) && source.trim().replaceAll(fence[0] ?? "", "") === "") {
      this.#code = null;
      return `${styled("dim", source)}\n`;
    }
    if (color === null) return `${styled("cyan", source)}\n`;
    const parts = color(source).map(([part, text]) => {
      const look = LOOKS[part];
      return look === null ? text : styled(look, text);
    });
    return `${parts.join("")}\n`;
  }

  #block(source: string): string {
    const [, fence, language = ""] = FENCE.exec(source) ?? [];
    if (fence !== undefined) {
      this.#code = { fence, color: codeColors(language) };
      return `${styled("dim", source)}\n`;
    }
    return `${this.#text(source)}\n`;
  }

  #text(source: string): string {
    const quotes = QUOTES.exec(source)?.[0] ?? "";
    const bars = `${styled("dim", "│")} `.repeat(quotes.split(">").length - 1);
    return bars + this.#unquoted(source.slice(quotes.length));
  }

  #unquoted(source: string): string {
    const [, signs, title] = HEADING.exec(source) ?? [];
    if (signs !== undefined && title !== undefined) {
      const bold = styled("bold", this.#spans(title));
      return signs.length <= 2 ? styled("underline", bold) : bold;
    }
    if (RULE.test(source)) {
      return styled("dim", "─".repeat(Math.max(1, Math.min(RULE_COLUMNS_MAX, this.#columns()))));
    }
    const [, indent = "", number, box, content] = ITEM.exec(source) ?? [];
    if (content === undefined) return this.#spans(source);
    const mark = box === undefined ? number ?? "•" : box === " " ? "☐" : "☑";
    return `${indent}${mark} ${this.#spans(content)}`;
  }

  #spans(source: string): string {
    return inlineText(this.#inline(source));
  }
}
