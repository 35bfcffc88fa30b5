/**
 * A text as messages of the platform.
 * @module
 */

import { parseMarkdown } from "../../markdown/markdown.ts";
import { blockPieces, textPieces } from "./blocks.ts";

/** Documented as 2,000 characters; counted here in the units that are never fewer. */
export const MESSAGE_CHARS_MAX = 2_000;

/** How a text is laid out. */
export interface LayOutOptions {
  /** Shows the text as it is. */
  readonly isPlain: boolean;
  /** Lines of small print below the last message. */
  readonly footer?: readonly string[];
}

/** The messages that show `text`, none of them blank. */
export function layOut(
  text: string,
  { isPlain, footer = [] }: LayOutOptions,
): readonly string[] {
  const fits = (piece: string): boolean => piece.length <= MESSAGE_CHARS_MAX;
  const pieces = isPlain
    ? textPieces(text.trim(), fits).map((piece) => ({ piece, gap: "\n" }))
    : parseMarkdown(text).flatMap((token) => {
      const gap = token.type === "heading" ? "\n" : "\n\n";
      return blockPieces(token, fits).map((piece) => ({ piece, gap }));
    });
  const messages: string[] = [];
  let gap = "";
  for (const { piece, gap: next } of [...pieces, ...footer.flatMap(small)]) {
    if (piece.trim() === "") continue;
    const joined = `${messages.at(-1) ?? ""}${gap}${piece}`;
    if (messages.length > 0 && fits(joined)) messages[messages.length - 1] = joined;
    else messages.push(piece);
    gap = next;
  }
  return messages;
}

const SMALL_CHARS_MAX = 200;

function small(line: string): readonly { readonly piece: string; readonly gap: string }[] {
  const [piece] = textPieces(
    [...line.replace(/\s+/g, " ")].slice(0, SMALL_CHARS_MAX).join(""),
    () => true,
  );
  return piece === undefined ? [] : [{ piece: `-# ${piece}`, gap: "\n" }];
}
