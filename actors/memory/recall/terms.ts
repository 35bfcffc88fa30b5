/**
 * Words of texts and queries. Scripts without spaces are indexed character by character and
 * searched as phrases, so that a word is found wherever it stands.
 * @module
 */

import { isStopWord } from "./stop_words.ts";

/** What is looked for: a word, or characters that stand side by side. */
export interface Term {
  /** In small letters, as it stands in a text. */
  readonly plain: string;
  /** The same as a phrase of the full-text index. */
  readonly phrase: string;
}

/** Characters of a query that are read; the rest of a long message adds nothing. */
const QUERY_CHARS_MAX = 2_000;
const TERMS_MAX = 16;
/** Words that hang together, an address or a path: longer ones are cut. */
const PHRASE_TOKENS_MAX = 8;
/** A stretch of characters is also looked for as a whole up to this length. */
const STRETCH_CHARS_MAX = 6;

const UNSPACED = String
  .raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const LETTER = String.raw`[[\p{L}\p{N}\p{M}]--[${UNSPACED}]]`;

/** What a text is taken apart with; made with the first text, as that takes 20 ms of every start. */
interface Splitter {
  readonly unspacedCharacter: RegExp;
  readonly isUnspaced: RegExp;
  /** A stretch without spaces, or a word with what hangs on it (`10.0.0.1`, `a-b`, `x@y.org`). */
  readonly word: RegExp;
  readonly token: RegExp;
  readonly segmenter: Intl.Segmenter;
}

let made: Splitter | undefined;

function splitter(): Splitter {
  return made ??= {
    unspacedCharacter: new RegExp(`[${UNSPACED}]`, "gv"),
    isUnspaced: new RegExp(`^[${UNSPACED}]`, "v"),
    word: new RegExp(`[${UNSPACED}]+|${LETTER}+(?:[._\\-:\\/@]${LETTER}+)*`, "gv"),
    token: new RegExp(`[${UNSPACED}]|${LETTER}+`, "gv"),
    segmenter: new Intl.Segmenter("zh", { granularity: "word" }),
  };
}

/** A text as it goes into the index, whose tokenizer splits at spaces and punctuation. */
export function indexed(text: string): string {
  return normalised(text).replaceAll(splitter().unspacedCharacter, " $& ");
}

/** One form for what looks the same: small letters, no full-width ones, no halves of pairs. */
export function normalised(text: string): string {
  return text.toWellFormed().normalize("NFKC").toLowerCase();
}

/**
 * What to look for. Words that say nothing are left out, unless there is nothing else and
 * `keepsStopWords`.
 */
export function termsOf(
  text: string,
  { keepsStopWords }: { readonly keepsStopWords: boolean },
): readonly Term[] {
  const words = normalised(text.slice(0, QUERY_CHARS_MAX)).match(splitter().word) ?? [];
  const telling = words.flatMap(tellingParts);
  const chosen = telling.length === 0 && keepsStopWords ? words : telling;
  return [...new Set(chosen)].slice(0, TERMS_MAX).map(termOf);
}

/** Whether a text, normalised, holds a term; endings of English words do not count. */
export function holds(text: string, { plain }: Term): boolean {
  return text.includes(stem(plain));
}

/** Where a term stands in a text in small letters, from `start` on; -1 where it does not. */
export function placeOf(text: string, { plain }: Term, start = 0): number {
  return text.indexOf(stem(plain), start);
}

function termOf(plain: string): Term {
  const tokens = (plain.match(splitter().token) ?? []).slice(0, PHRASE_TOKENS_MAX);
  return { plain, phrase: `"${tokens.join(" ")}"` };
}

function tellingParts(word: string): readonly string[] {
  if (!splitter().isUnspaced.test(word)) return isStopWord(word) || isLetter(word) ? [] : [word];
  return stretchesOf(word).flatMap(partsOfStretch);
}

/** A single letter says nothing, a number may. */
function isLetter(word: string): boolean {
  return word.length === 1 && !/\p{N}/u.test(word);
}

/** The words of text without spaces, where stop words separate those that belong together. */
function stretchesOf(text: string): readonly (readonly string[])[] {
  const stretches: string[][] = [[]];
  for (const { segment } of splitter().segmenter.segment(text)) {
    if (isStopWord(segment)) stretches.push([]);
    else stretches.at(-1)?.push(segment);
  }
  return stretches.filter((stretch) => stretch.length > 0);
}

/**
 * Where a word ends is a guess: what it cuts into single characters is joined with its neighbour,
 * and the stretch is looked for as a whole too.
 */
function partsOfStretch(stretch: readonly string[]): readonly string[] {
  const whole = stretch.join("");
  if (stretch.length === 1) return [whole];
  const parts = stretch.filter((segment) => !isSingle(segment));
  for (const [index, segment] of stretch.entries()) {
    const next = stretch[index + 1];
    if (next !== undefined && (isSingle(segment) || isSingle(next))) parts.push(segment + next);
  }
  if ([...whole].length <= STRETCH_CHARS_MAX) parts.push(whole);
  return parts;
}

function isSingle(segment: string): boolean {
  return [...segment].length === 1;
}

/** Roughly what the index makes of English words, which knows more of them. */
function stem(word: string): string {
  return /^[a-z]{5,}$/.test(word) ? word.replace(/(?:ing|ed|es|s|e|y|ies)$/, "") : word;
}
