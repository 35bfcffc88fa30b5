/**
 * One page of a long text, which says how to go on.
 * @module
 */

/** Results are cut beyond this many characters unless the configuration says otherwise. */
export const RESULT_CHARS_DEFAULT = 16_000;
/** Kept free for headings and the last line. */
const MARGIN_CHARS = 1_000;
const PAGE_CHARS_MIN = 500;
const LINE_CHARS_MAX = 2_000;

/** Which page. */
export interface PageOptions {
  /** First line, from 1. */
  readonly offset: number;
  /** Lines at most. */
  readonly limit: number;
  readonly charsMax: number;
  /** Whether each line has its number in front. */
  readonly isNumbered: boolean;
}

/** A page; `problem` where there is none. */
export type TextPage = { readonly text: string } | { readonly problem: string };

/** Characters of a page that fits into a tool result. */
export function pageChars(resultCharsMax: number = RESULT_CHARS_DEFAULT): number {
  return Math.max(PAGE_CHARS_MIN, resultCharsMax - MARGIN_CHARS);
}

/** The lines of a text, without the ends of any system. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Whole lines from `offset` on, as many as fit, and where to go on. */
export function pageOf(lines: readonly string[], options: PageOptions): TextPage {
  const { offset, limit, charsMax, isNumbered } = options;
  if (offset > lines.length) {
    return { problem: `Cannot start at line ${offset}: it has ${lines.length} lines` };
  }
  const lineMax = Math.min(LINE_CHARS_MAX, charsMax);
  const shown: string[] = [];
  let size = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const text = isNumbered
      ? `${offset + shown.length}| ${cut(line, lineMax)}`
      : cut(line, lineMax);
    if (size + text.length > charsMax && shown.length > 0) break;
    shown.push(text);
    size += text.length + 1;
  }
  const last = offset + shown.length - 1;
  const footer = last < lines.length
    ? `(Lines ${offset}-${last} of ${lines.length}; go on with offset=${last + 1})`
    : `(End of file, ${lines.length} lines)`;
  return { text: [...shown, "", footer].join("\n") };
}

function cut(line: string, charsMax: number): string {
  if (line.length <= charsMax) return line;
  return `${line.slice(0, charsMax)}… (${line.length - charsMax} characters more)`;
}
