/**
 * Text inside a paragraph as runs: pieces of text with the marks around them. Marks are closed and
 * opened again wherever a run is cut.
 * @module
 */

import { largest } from "./largest.ts";

/** Marks around a run, the same object for all runs of one emphasis or link. */
export interface Marks {
  readonly open: string;
  readonly close: string;
}

/** Text between marks, outermost first. */
export interface Run {
  readonly text: string;
  readonly marks: readonly Marks[];
}

/** Is it short enough? Grows monotonically with the text. */
export type Fits = (text: string) => boolean;

/** How runs are cut. */
export interface CutOptions {
  readonly fits: Fits;
  /**
   * What stays whole: the platform's tags, entities and links; without groups that capture. Looked
   * for at every character: what it looks for behind one has a longest length.
   */
  readonly atoms: RegExp;
  /** Keeps the first sign of a piece a sign. @default as it is */
  readonly guard?: (piece: string) => string;
}

/** The runs as text, with their marks. */
export function joinRuns(runs: readonly Run[]): string {
  let text = "";
  let open: readonly Marks[] = [];
  for (const run of [...runs, { text: "", marks: [] }]) {
    if (run.marks === open) {
      text += run.text;
      continue;
    }
    let shared = 0;
    while (shared < open.length && open[shared] === run.marks[shared]) shared++;
    for (const { close } of open.slice(shared).toReversed()) text += close;
    for (const marks of run.marks.slice(shared)) text += marks.open;
    text += run.text;
    open = run.marks;
  }
  return text;
}

/** The runs as text in pieces that fit: cut at lines, then sentences, words, characters. */
export function cutRuns(
  runs: readonly Run[],
  { fits, atoms, guard = (piece) => piece }: CutOptions,
): readonly string[] {
  const isAtom = new RegExp(`^(?:${atoms.source})`, "u");
  const pattern = new RegExp(`${atoms.source}|${WORDS}`, "gu");
  const pieces: string[] = [];
  let units = trimmed(runs.flatMap((run) => unitsOf(run, pattern)));
  while (units.length > 0) {
    const most = largest(units.length, (count) => fits(joinRuns(units.slice(0, count))));
    const smaller = most === 0 ? broken(units, fits, isAtom) : undefined;
    if (smaller !== undefined) {
      units = smaller;
      continue;
    }
    const count = most === units.length ? most : Math.max(1, borderBefore(units, most));
    const piece = guard(joinRuns(trimmed(units.slice(0, count))));
    if (piece !== "") pieces.push(piece);
    units = trimmed(units.slice(count));
  }
  return pieces;
}

/** Han characters are words. */
const WORDS = String.raw`\n|[^\S\n]+|\p{Script=Han}|[^\s<&![\p{Script=Han}]+|[\s\S]`;

function unitsOf({ text, marks }: Run, pattern: RegExp): readonly Run[] {
  return (text.match(pattern) ?? []).map((unit) => ({ text: unit, marks }));
}

function trimmed(units: readonly Run[]): readonly Run[] {
  const isWord = ({ text }: Run): boolean => text.trim() !== "";
  const start = units.findIndex(isWord);
  return start < 0 ? [] : units.slice(start, units.findLastIndex(isWord) + 1);
}

/** The best place to cut at, in the second half of the first `most` units. */
function borderBefore(units: readonly Run[], most: number): number {
  const candidates = units.slice(0, most).map(({ text }, index) => ({ text, count: index + 1 }))
    .slice(Math.floor(most / 2));
  const line = candidates.findLast(({ text }) => text.includes("\n"));
  const sentence = candidates.findLast(({ text }) => /[.!?。！？；;:：]$/.test(text));
  const space = candidates.findLast(({ text }) => text.trim() === "");
  return (line ?? sentence ?? space)?.count ?? most;
}

/** The units with the first one in smaller pieces or without its marks; undefined at the end. */
function broken(units: readonly Run[], fits: Fits, isAtom: RegExp): readonly Run[] | undefined {
  const [first, ...rest] = units;
  if (first === undefined) return undefined;
  const { text, marks } = first;
  const characters = [...text];
  const canShrink = characters.length > 1 && !(isAtom.test(text) && marks.length > 0);
  if (!canShrink) return marks.length > 0 ? [{ text, marks: [] }, ...rest] : undefined;
  const piece = (count: number): Run => ({ text: characters.slice(0, count).join(""), marks });
  const count = largest(characters.length - 1, (many) => fits(joinRuns([piece(many)])));
  if (count === 0 && marks.length > 0) return [{ text, marks: [] }, ...rest];
  const taken = Math.max(1, count);
  return [piece(taken), { text: characters.slice(taken).join(""), marks }, ...rest];
}
