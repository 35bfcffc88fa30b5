/**
 * Finding the text that an edit means, forgiving about outer blanks of lines and curly quotes.
 * @module
 */

/** A place in a text. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** How the places were found, strictest first. */
export type MatchKind = "exact" | "trimmed_lines" | "trimmed_straight_lines" | "straight_quotes";

/** All places where `wanted` stands in `text`, by the first way that finds any. */
export function findMatches(
  text: string,
  wanted: string,
): { readonly kind: MatchKind; readonly matches: readonly Match[] } {
  const exact = findAll(text, wanted);
  if (exact.length > 0) return { kind: "exact", matches: exact };
  const trimmed = findLines(text, wanted, (line) => line.trim());
  if (trimmed.length > 0) return { kind: "trimmed_lines", matches: trimmed };
  const both = findLines(text, wanted, (line) => straighten(line).trim());
  if (both.length > 0) return { kind: "trimmed_straight_lines", matches: both };
  return { kind: "straight_quotes", matches: findAll(straighten(text), straighten(wanted)) };
}

/** Line number of a position, from 1. */
export function lineOf(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

/** Characters that are compared at most, which takes half a second: a hint is not worth more. */
const CHARS_COMPARED_MAX = 8_000_000;

/** The stretch of lines that is most like `wanted`, and how like (0 to 1). */
export function nearestLines(
  text: string,
  wanted: string,
): { readonly line: number; readonly text: string; readonly likeness: number } | undefined {
  const lines = text.split("\n");
  const target = wanted.split("\n").map((line) => line.trim());
  let best: { line: number; text: string; likeness: number } | undefined;
  const compared = lines.length * wanted.length + target.length * text.length;
  if (compared > CHARS_COMPARED_MAX) return undefined;
  for (let start = 0; start + target.length <= lines.length; start++) {
    const window = lines.slice(start, start + target.length);
    const likeness = window.reduce((sum, line, index) =>
      sum + lineLikeness(line.trim(), target[index] ?? ""), 0) / target.length;
    if (best === undefined || likeness > best.likeness) {
      best = { line: start + 1, text: window.join("\n"), likeness };
    }
  }
  return best;
}

function findAll(text: string, wanted: string): Match[] {
  const matches: Match[] = [];
  let start = text.indexOf(wanted);
  while (start >= 0 && wanted !== "") {
    matches.push({ start, end: start + wanted.length });
    start = text.indexOf(wanted, start + wanted.length);
  }
  return matches;
}

function findLines(text: string, wanted: string, view: (line: string) => string): Match[] {
  const lines = text.split("\n");
  const target = wanted.replace(/\n$/, "").split("\n").map(view);
  if (target.every((line) => line === "")) return [];
  const starts = lineStarts(lines);
  // As one text, which is searched much faster than line by line: files repeat themselves.
  const viewed = lines.map(view);
  const numbers = new Map(lineStarts(viewed).map((start, line) => [start, line]));
  const searched = `\n${viewed.join("\n")}\n`;
  const needle = `\n${target.join("\n")}\n`;
  const matches: Match[] = [];
  let at = searched.indexOf(needle);
  while (at >= 0) {
    const first = numbers.get(at) ?? 0;
    const last = first + target.length - 1;
    const end = (starts[last] ?? 0) + (lines[last]?.length ?? 0);
    matches.push({ start: starts[first] ?? 0, end });
    at = searched.indexOf(needle, at + needle.length - 1);
  }
  return matches;
}

function lineStarts(lines: readonly string[]): number[] {
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return starts;
}

/** Curly quotes made straight; of the same length, so that positions stay valid. */
export function straighten(text: string): string {
  return text.replaceAll(/[\u2018\u2019]/g, "'").replaceAll(/[\u201c\u201d]/g, '"');
}

/** Share of equal pairs of neighbouring characters (Dice's coefficient). */
function lineLikeness(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  const pairs = new Map<string, number>();
  for (let i = 0; i + 1 < a.length; i++) {
    const pair = a.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let i = 0; i + 1 < b.length; i++) {
    const pair = b.slice(i, i + 2);
    const left = pairs.get(pair) ?? 0;
    if (left > 0) {
      common++;
      pairs.set(pair, left - 1);
    }
  }
  return 2 * common / (a.length + b.length - 2);
}
