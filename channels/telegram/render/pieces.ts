/**
 * A text in pieces that Telegram takes: cut between blocks where that is possible, else between
 * lines, sentences, words, and at last between characters. Code stays code in every piece.
 * @module
 */

import { type Block, blocksOf } from "./blocks.ts";
import { joined, NOTHING, plain, sliced, type StyledText, trimmed } from "./styled.ts";

/** Telegram counts UTF-16 units, marks aside. */
export const TEXT_UNITS_MAX = 4_096;
/** Further marks are lost without a word. */
const ENTITIES_MAX = 100;
/** A block that does not fit is not begun in less room than that. */
const ROOM_MIN = 400;
const SEPARATOR = "\n\n";
/** The longest character that is kept whole: families and flags are made of many. */
const CHARACTER_UNITS_MAX = 64;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** How a text is read. */
export interface PieceOptions {
  /** As it is, without Markdown. */
  readonly isPlain: boolean;
}

/** The pieces of a text, in order; none for a blank one. */
export function piecesOf(text: string, { isPlain }: PieceOptions): readonly StyledText[] {
  if (text.trim() === "") return [];
  if (isPlain) return pack([{ content: plain(text.trim()), cut: "words" }]);
  return pack(blocksOf(text));
}

function pack(blocks: readonly Block[]): readonly StyledText[] {
  const pieces: StyledText[] = [];
  let piece = NOTHING;
  const flush = (): void => {
    const done = trimmed(piece);
    if (done.text !== "") pieces.push(done);
    piece = NOTHING;
  };
  for (const { content, cut } of blocks) {
    let rest = content;
    while (rest.text !== "") {
      const gap = piece.text === "" ? "" : SEPARATOR;
      const room = roomFor(rest, TEXT_UNITS_MAX - piece.text.length - gap.length, piece);
      if (rest.text.length <= room) {
        piece = joined([piece, rest], gap);
        break;
      }
      const fitsAlone = rest.text.length <= roomFor(rest, TEXT_UNITS_MAX, NOTHING);
      if (piece.text !== "" && (fitsAlone || room < ROOM_MIN)) {
        flush();
        continue;
      }
      const end = cutPoint(rest.text, room, cut);
      piece = joined([piece, sliced(rest, 0, end)], gap);
      flush();
      rest = afterCut(rest, end, cut);
    }
  }
  flush();
  return pieces;
}

/** Units that fit, so that the marks do as well. */
function roomFor({ entities }: StyledText, room: number, { entities: taken }: StyledText): number {
  const beyond = entities.toSorted((one, other) => one.offset - other.offset)
    .at(Math.max(0, ENTITIES_MAX - taken.length));
  return Math.max(0, beyond === undefined ? room : Math.min(room, beyond.offset));
}

/** Where to cut so that at most `room` units, and at least one character, come before. */
function cutPoint(text: string, room: number, cut: Block["cut"]): number {
  const head = text.slice(0, room + 1);
  const line = head.lastIndexOf("\n");
  if (line > 0 && (cut === "lines" || line >= room / 2)) return line;
  if (cut === "words") {
    const border = [/[.!?。！？；;:：]\s*(?=\S)/gu, /\s+(?=\S)/gu].map((pattern) =>
      lastMatchEnd(head, pattern, room)
    ).find((end) => end >= room / 2);
    if (border !== undefined) return border;
  }
  return characterBorder(text, room);
}

function lastMatchEnd(head: string, pattern: RegExp, room: number): number {
  let end = 0;
  for (const match of head.matchAll(pattern)) {
    const at = match.index + match[0].length;
    if (at <= room) end = at;
  }
  return end;
}

/** The last border between characters, as people see them, up to `room`. */
function characterBorder(text: string, room: number): number {
  const from = startOfWindow(text, room);
  let border = 0;
  for (
    const { index, segment } of segmenter.segment(text.slice(from, room + CHARACTER_UNITS_MAX))
  ) {
    const end = from + index + segment.length;
    if (end > room) break;
    border = end;
  }
  if (border > 0) return border;
  const first = text.codePointAt(Math.max(0, room - 1)) ?? 0;
  return first > 0xffff && room > 1 ? room - 1 : Math.max(1, room);
}

/** A place that is no middle of a character, some characters before the cut. */
function startOfWindow(text: string, room: number): number {
  const from = Math.max(0, room - 4 * CHARACTER_UNITS_MAX);
  const [first] = segmenter.segment(text.slice(from, from + 2 * CHARACTER_UNITS_MAX));
  return from === 0 ? 0 : from + (first?.segment.length ?? 0);
}

function afterCut(rest: StyledText, end: number, cut: Block["cut"]): StyledText {
  const { text } = rest;
  if (cut === "words") return trimmedStart(sliced(rest, end, text.length));
  return sliced(rest, text[end] === "\n" ? end + 1 : end, text.length);
}

function trimmedStart(styled: StyledText): StyledText {
  const { text } = styled;
  return sliced(styled, text.length - text.trimStart().length, text.length);
}
