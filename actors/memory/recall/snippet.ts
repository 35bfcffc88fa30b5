/**
 * The part of a passage that is shown.
 * @module
 */

import { placeOf, type Term } from "./terms.ts";

/** Characters of a snippet. */
const SNIPPET_CHARS = 400;
/** Of them in front of the words that were looked for. */
const LEAD_CHARS = 120;

/** The text around the first of the words, on one line. */
export function snippetOf(text: string, terms: readonly Term[]): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  if (flat.length <= SNIPPET_CHARS) return flat;
  const places = terms.map((term) => placeOf(flat, term)).filter((place) => place >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const start = Math.max(0, Math.min(first - LEAD_CHARS, flat.length - SNIPPET_CHARS));
  const end = start + SNIPPET_CHARS;
  const part = flat.slice(start, end).toWellFormed().replaceAll("\u{fffd}", "");
  return `${start > 0 ? "… " : ""}${part}${end < flat.length ? " …" : ""}`;
}
