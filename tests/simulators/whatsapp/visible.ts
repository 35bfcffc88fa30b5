/**
 * A text as WhatsApp shows it, with its own few marks.
 * @module
 */

/** A text as a person sees it. */
export interface Visible {
  readonly text: string;
  /** The blocks of code. */
  readonly code: readonly string[];
}

const FENCE = /```\n?([^]*?)\n?```/;
/** What is not seen; a mark that stands beside it marks nothing. */
const INVISIBLE = /[\u200B\u2060]/g;
const CODE =
  /(?<![\p{L}\p{N}\u200B`])`(?![\s\u200B`])([^`\n]*?[^`\n\s\u200B]|[^`\n\s\u200B])`(?![\p{L}\p{N}\u200B`])/u;

/** Reads marks. */
export function visible(text: string): Visible {
  const code: string[] = [];
  let shown = "";
  let rest = text;
  for (let match = FENCE.exec(rest); match !== null; match = FENCE.exec(rest)) {
    const [whole, inside = ""] = match;
    code.push(inside.replace(INVISIBLE, ""));
    shown += proseOf(rest.slice(0, match.index)) + inside.replace(INVISIBLE, "");
    rest = rest.slice(match.index + whole.length);
  }
  return { text: shown + proseOf(rest), code };
}

function proseOf(text: string): string {
  return text.split("\n").map((line) => spans(line.replace(/^> /, "")).replace(INVISIBLE, ""))
    .join("\n");
}

/** Code first: in it nothing else counts. */
function spans(line: string): string {
  const match = CODE.exec(line);
  if (match === null) return marked(line);
  const [whole, inside = ""] = match;
  return marked(line.slice(0, match.index)) + inside +
    spans(line.slice(match.index + whole.length));
}

function marked(line: string): string {
  return ["*", "_", "~"].reduce((text, mark) => {
    const sign = mark === "*" ? "\\*" : mark;
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}\\u200B])${sign}(?![\\s\\u200B${sign}])([^${sign}\\n]*?[^\\s\\u200B${sign}])${sign}(?![\\p{L}\\p{N}\\u200B])`,
      "gu",
    );
    return text.replace(pattern, "$1");
  }, line);
}
