/**
 * The end of a text that still grows: what is half said there waits, or is closed, so that no
 * marks show that the next words would have turned into something else.
 * @module
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A line that may become a heading, list, quote, rule, fence or underline. */
const HALF_MARK =
  /^[ \t]*(?:#{1,6}|[-*+=_]+|`{1,2}|~{1,2}|\d{1,9}[.)]?|(?:>[ \t]*)+|\${1,2})[ \t]*$/;
const TABLE_LINE = /^[ \t]*\|/;
const TABLE_RULE = /^[ \t]*\|?[ \t:|-]*-[ \t:|-]*\|[ \t]*$/;
/** What waits at most: a longer one is shown as it is. */
const WAITING_CHARS_MAX = 2_000;
/** A link, picture, tag, mention or closing mark of which only the beginning is there. */
const HALF_SPAN =
  /(?:!?\[[^\]\n]*|!?\[[^\]\n]*\]|!?\[[^\]\n]*\]\([^)\n]*|!|<[A-Za-z/!][^>\n]*|<|@[^@()\n<>]{1,64} \([a-z_0-9]{0,40}|&#?\w{0,8}|\\|[*_~`]+)$/;
const FINISHED_LINK = /\[[^\]\n]*\]\([^)\n]*\)$/;

/**
 * The text as it can be shown while more of it comes.
 *
 * @param text Markdown that was cut anywhere
 */
export function mendTail(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const fence = openFence(lines);
  if (fence !== undefined) return withoutHalfFence(lines, fence);
  const shown = withoutHalfTable(withoutHalfMark(lines));
  return mendMath(mendSpans(shown.join("\n")));
}

/** The mark of a code fence that has no end yet. */
function openFence(lines: readonly string[]): string | undefined {
  let open: string | undefined;
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1];
    if (open === undefined) open = mark;
    else if (mark !== undefined && mark.startsWith(open) && line.trim() === mark) open = undefined;
  }
  return open;
}

function withoutHalfFence(lines: readonly string[], fence: string): string {
  const last = lines.at(-1) ?? "";
  const isHalf = last.trim() !== "" && fence.startsWith(last.trim());
  return (isHalf ? lines.slice(0, -1) : lines).join("\n");
}

function withoutHalfMark(lines: readonly string[]): readonly string[] {
  return HALF_MARK.test(lines.at(-1) ?? "") ? lines.slice(0, -1) : lines;
}

/** A table begins to show with its rule, and each row when it is complete. */
function withoutHalfTable(all: readonly string[]): readonly string[] {
  const lines = all.at(-1)?.trim() === "" ? all.slice(0, -1) : all;
  const first = lines.findLastIndex((line) => !TABLE_LINE.test(line)) + 1;
  const rows = lines.slice(first);
  if (rows.length === 0) return lines;
  const hasRule = rows.length > 2 && TABLE_RULE.test(rows[1] ?? "");
  if (!hasRule) return rows.length <= 2 ? lines.slice(0, first) : lines;
  const isWhole = pipesIn(rows.at(-1) ?? "") >= Math.min(pipesIn(rows[0] ?? ""), 50);
  return isWhole ? lines : lines.slice(0, -1);
}

function pipesIn(row: string): number {
  return row.replace(/\\./g, "").split("|").length - 1;
}

/** Closes emphasis and code that the last paragraph opened; a half link waits. */
function mendSpans(text: string): string {
  const start = Math.max(text.lastIndexOf("\n\n") + 1, afterLastFence(text));
  const paragraph = text.slice(start);
  // Looked for near the end alone: from further away it would not wait any more.
  const near = paragraph.slice(-WAITING_CHARS_MAX);
  const half = HALF_SPAN.exec(near)?.[0];
  const waits = half !== undefined && !isClosing(paragraph, half) && !FINISHED_LINK.test(near);
  const shown = (waits ? paragraph.slice(0, -half.length) : paragraph).trimEnd();
  const prose = shown.replace(/(?<!`)(`+)(?!`)[^`]+\1(?!`)/g, "");
  const ticks = /`+/.exec(prose)?.[0] ?? "";
  const words = ticks === "" ? prose : prose.slice(0, prose.indexOf(ticks));
  const open = ["~~", "**"].filter((mark) => isOpen(words, mark));
  return text.slice(0, start) + shown + ticks + open.toReversed().join("");
}

/** Where the text behind the last line of a code fence begins. */
function afterLastFence(text: string): number {
  const lines = text.split("\n");
  const last = lines.findLastIndex((line) => FENCE.test(line));
  return lines.slice(0, last + 1).reduce((sum, line) => sum + line.length + 1, 0);
}

/** Do these marks at the end close what was opened before? */
function isClosing(paragraph: string, marks: string): boolean {
  if (!/^(?:\*+|_+|~+|`+)$/.test(marks)) return false;
  const before = paragraph.slice(0, -marks.length);
  return before.split(marks).length % 2 === 0 && /\S$/.test(before);
}

function isOpen(words: string, mark: string): boolean {
  const parts = words.split(mark);
  return parts.length % 2 === 0 && /^\S/.test(parts.at(-1) ?? "");
}

function mendMath(text: string): string {
  const rules = text.split("\n").filter((line) => line.trim() === "$$").length;
  return rules % 2 === 1 ? `${text}\n$$` : text;
}
