/**
 * A text as messages for platforms that render Markdown themselves: each complete Markdown, and as
 * long as may be.
 * @module
 */

import { cutBlock, isTight } from "./blocks.ts";
import type { Dialect } from "./dialect.ts";
import { type MarkdownToken, parseMarkdown } from "./markdown.ts";
import type { Fits } from "./runs.ts";

/** A block, or a part of one, with the space before it. */
interface Part {
  readonly text: string;
  readonly gap: string;
  readonly isHeading: boolean;
}

/** How a text is laid out. */
export interface PiecesOptions {
  readonly dialect: Dialect;
  /** Is one message short enough? */
  readonly fits: Fits;
}

/** The messages that show `text`, in order; none is blank. */
export function markdownPieces(
  text: string,
  { dialect, fits }: PiecesOptions,
): readonly string[] {
  const pieces: string[] = [];
  let current: readonly Part[] = [];
  for (const part of partsOf(text, dialect, fits)) {
    if (current.length === 0 || fits(joined([...current, part]))) {
      current = [...current, part];
      continue;
    }
    const { stays, goesOn } = withoutLastHeadings(current);
    pieces.push(joined(stays));
    const next = [...goesOn, part];
    if (fits(joined(next))) current = next;
    else {
      if (goesOn.length > 0) pieces.push(joined(goesOn));
      current = [part];
    }
  }
  if (current.length > 0) pieces.push(joined(current));
  return pieces;
}

function partsOf(text: string, dialect: Dialect, fits: Fits): readonly Part[] {
  let before: MarkdownToken | null = null;
  return parseMarkdown(text).flatMap((token) => {
    const gap = gapBetween(before, token);
    const isHeading = token.type === "heading";
    const parts = cutBlock(token, dialect, fits).map((piece, index): Part => ({
      text: piece,
      gap: index === 0 ? gap : "\n\n",
      isHeading,
    }));
    if (parts.length > 0) before = token;
    return parts;
  });
}

/** Headings that would stand alone at the end go along with what they stand over. */
function withoutLastHeadings(
  parts: readonly Part[],
): { readonly stays: readonly Part[]; readonly goesOn: readonly Part[] } {
  const last = parts.findLastIndex(({ isHeading }) => !isHeading);
  return last < 0
    ? { stays: parts, goesOn: [] }
    : { stays: parts.slice(0, last + 1), goesOn: parts.slice(last + 1) };
}

/** A list that stood directly below its words stays there. */
function gapBetween(before: MarkdownToken | null, token: MarkdownToken): string {
  const isBelow = before?.type === "paragraph" && /[^\n]\n$/.test(before.raw);
  return isBelow && token.type === "list" && isTight(token) ? "\n" : "\n\n";
}

function joined(parts: readonly Part[]): string {
  return parts.map(({ gap, text }, index) => index === 0 ? text : gap + text).join("");
}
