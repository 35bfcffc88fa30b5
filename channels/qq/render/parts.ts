/**
 * A text as messages of QQ's, and what to send when QQ does not take one of them.
 * @module
 */

import { BACKSLASH_DIALECT } from "../../markdown/backslash_dialect.ts";
import { markdownPieces } from "../../markdown/pieces.ts";
import { cutText, plainPieces, plainText } from "../../markdown/plain_text.ts";
import type { PartRecord } from "../send/state.ts";

/** A part that is a text. */
export type TextPart = Extract<PartRecord, { readonly kind: "text" }>;

/**
 * UTF-16 units of a message. QQ says when one is too long, and not how long it may be; its own
 * clients cut at 5,000.
 */
export const TEXT_UNITS_MAX = 4_000;
/** A part that is shorter is not cut in two. */
const CUT_UNITS_MIN = 100;

/** How a text is written. */
export interface WritingOptions {
  /** It is no Markdown. */
  readonly isPlain: boolean;
  /** As Markdown, if it is some. */
  readonly isMarkdown: boolean;
}

/** The messages that say `text`, in order. */
export function textParts(
  text: string,
  { isPlain, isMarkdown }: WritingOptions,
): readonly TextPart[] {
  if (text.trim() === "") return [];
  const pieces = isMarkdown && !isPlain
    ? markdownPieces(text, { dialect: BACKSLASH_DIALECT, fits })
    : plainPieces(text, { isPlain, charsMax: TEXT_UNITS_MAX });
  return pieces.map((piece) => textPart(piece, isMarkdown && !isPlain));
}

function fits(text: string): boolean {
  return text.length <= TEXT_UNITS_MAX;
}

/** One message. */
export function textPart(text: string, isMarkdown: boolean = false): TextPart {
  return { kind: "text", text, isMarkdown };
}

/** The same words without marks; null when it has none. */
export function withoutMarks({ text, isMarkdown }: TextPart): TextPart | null {
  return isMarkdown ? textPart(plainText(text)) : null;
}

/** The same in two messages; null when there is no sense in that. */
export function inTwo(part: TextPart): readonly TextPart[] | null {
  const { text, isMarkdown } = part;
  if (text.length < CUT_UNITS_MIN) return null;
  const unitsMax = Math.ceil(text.length / 2);
  const pieces = isMarkdown
    ? markdownPieces(text, {
      dialect: BACKSLASH_DIALECT,
      fits: (piece) => piece.length <= unitsMax,
    })
    : cutText(text, unitsMax);
  return pieces.map((piece) => textPart(piece, isMarkdown));
}

const MARKDOWN_LINK = /\[([^\]\n]*)\]\((?:https?:\/\/|mailto:)?([^)\s]*)\)/gi;
const ADDRESS = /\b(?:https?:\/\/|ftp:\/\/)?(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?![\p{L}\p{N}.])/giu;

/**
 * The same words, with addresses written so that QQ takes none for one: a person can still read and
 * type them. Null when there are none.
 */
export function withoutAddresses({ text, isMarkdown }: TextPart): TextPart | null {
  const unlinked = text.replace(
    MARKDOWN_LINK,
    (_whole, words: string, address: string) => words === address ? words : `${words} (${address})`,
  );
  const changed = unlinked.replace(
    ADDRESS,
    (address) => address.replace(/^\w+:\/\//, "").replaceAll(".", "[.]"),
  );
  return changed === text ? null : textPart(changed, isMarkdown);
}
