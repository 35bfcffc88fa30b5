/**
 * The part of a passage that is shown, and which of several say the same.
 * @module
 */

import { placeOf, type Term } from "./terms.ts";

/** Characters of a snippet. */
const SNIPPET_CHARS = 400;
/** Of them in front of the words that were looked for. */
const LEAD_CHARS = 120;
/** Places of one word that are looked at. */
const PLACES_MAX = 20;
/** What holds another text and little more says the same. */
const SAME_SHARE = 0.7;

/** The text around the place with the most of the words, the first such one, on one line. */
export function snippetOf(text: string, terms: readonly Term[]): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  if (flat.length <= SNIPPET_CHARS) return flat;
  const start = Math.max(
    0,
    Math.min(densest(flat, terms) - LEAD_CHARS, flat.length - SNIPPET_CHARS),
  );
  const end = start + SNIPPET_CHARS;
  const part = flat.slice(start, end).toWellFormed().replaceAll("\u{fffd}", "");
  return `${start > 0 ? "… " : ""}${part}${end < flat.length ? " …" : ""}`;
}

/** Those of `items`, best first, whose text none before them has said already. */
export function distinct<T>(items: readonly T[], textOf: (item: T) => string): readonly T[] {
  const said: string[] = [];
  return items.filter((item) => {
    const words = wordsOf(textOf(item));
    if (said.some((other) => isSame(words, other))) return false;
    said.push(words);
    return true;
  });
}

/** Where the most different words follow within what is shown; 0 without any. */
function densest(text: string, terms: readonly Term[]): number {
  const small = text.toLowerCase();
  const places = terms.flatMap((term) => placesOf(small, term).map((at) => ({ term, at })))
    .toSorted((one, other) => one.at - other.at);
  let best = { at: 0, count: 0 };
  for (const [index, { at }] of places.entries()) {
    const within = new Set<Term>();
    for (let next = index; next < places.length; next++) {
      const place = places[next];
      if (place === undefined || place.at > at + SNIPPET_CHARS - LEAD_CHARS) break;
      within.add(place.term);
    }
    if (within.size > best.count) best = { at, count: within.size };
  }
  return best.at;
}

/** In order, the first few. */
function placesOf(text: string, term: Term): readonly number[] {
  const places: number[] = [];
  let at = placeOf(text, term);
  while (at >= 0 && places.length < PLACES_MAX) {
    places.push(at);
    at = placeOf(text, term, at + 1);
  }
  return places;
}

function isSame(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= long.length * SAME_SHARE && long.includes(short);
}

/** The words between single spaces: case and punctuation make no difference. */
function wordsOf(text: string): string {
  return ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim()} `;
}
