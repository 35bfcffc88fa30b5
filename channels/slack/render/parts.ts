/**
 * Blocks in messages: as many in each as Slack takes, and what is too long in pieces of its kind.
 * @module
 */

import { largest } from "../../markdown/largest.ts";
import { type Block, blockWords, escaped, type Inline, inlineWords } from "./rich.ts";

/**
 * Characters of one message, escaped as its fallback text. Slack shows 4,000 in a message that is
 * changed, and recommends no more for others.
 */
export const MESSAGE_CHARS_MAX = 3_800;
/** Pieces in one message; Slack names no limit, and has one. */
const PIECES_MAX = 400;
/** A place to cut at is looked for in the last part of what fits. */
const BORDER_SHARE = 0.5;
/** Signs that belong together are shorter than that. */
const GRAPHEME_CHARS_MAX = 64;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The blocks of each message, none empty. */
export function intoMessages(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const messages: Block[][] = [];
  let current: Block[] = [];
  let used = NOTHING;
  const flush = (): void => {
    if (current.length > 0) messages.push(current);
    current = [];
    used = NOTHING;
  };
  /** What is left, the next one last. */
  const left = blocks.toReversed();
  for (let block = left.pop(); block !== undefined; block = left.pop()) {
    const all = sum(used, sizeOf(block));
    if (fits(all)) {
      current.push(block);
      used = all;
      continue;
    }
    const isFirst = current.length === 0;
    // A short end of a message is left empty: what follows stays in one piece.
    const room = MESSAGE_CHARS_MAX - used.chars;
    const isWorthCutting = isFirst || (!fits(sizeOf(block)) && room > MESSAGE_CHARS_MAX / 2);
    const cut = isWorthCutting ? cutBlock(block, (piece) => fits(sum(used, sizeOf(piece)))) : null;
    if (cut !== null) current.push(cut.head);
    flush();
    if (cut !== null && cut.tail !== null) left.push(cut.tail);
    // Of what is first and cannot be cut, nothing can be shown.
    if (cut === null && !isFirst) left.push(block);
  }
  flush();
  return messages;
}

/** What a block takes of a message. */
interface Size {
  readonly pieces: number;
  /** With the line end behind it. */
  readonly chars: number;
}

const NOTHING: Size = { pieces: 0, chars: 0 };

function fits({ pieces, chars }: Size): boolean {
  return pieces <= PIECES_MAX && chars - 1 <= MESSAGE_CHARS_MAX;
}

function sum(a: Size, b: Size): Size {
  return { pieces: a.pieces + b.pieces, chars: a.chars + b.chars };
}

function sizeOf(block: Block): Size {
  const pieces = block.type === "rich_text_list"
    ? block.items.reduce((count, item) => count + item.length, 0)
    : block.elements.length;
  return { pieces, chars: escaped(blockWords([block])).length + 1 };
}

interface Cut {
  readonly head: Block;
  readonly tail: Block | null;
}

type Holds = (block: Block) => boolean;

/** The longest beginning of a block that holds, and the rest; null when none does. */
function cutBlock(block: Block, holds: Holds): Cut | null {
  if (block.type === "rich_text_list") return cutList(block, holds);
  const isCode = block.type === "rich_text_preformatted";
  const cut = cutInlines(block.elements, (elements) => holds({ ...block, elements }), isCode);
  if (cut === null) return null;
  const [head, tail] = cut;
  return {
    head: { ...block, elements: head },
    tail: tail.length === 0 ? null : { ...block, elements: tail },
  };
}

function cutList(list: Extract<Block, { type: "rich_text_list" }>, holds: Holds): Cut | null {
  const { items, offset } = list;
  const count = largest(items.length, (many) => holds({ ...list, items: items.slice(0, many) }));
  if (count > 0) {
    const rest = items.slice(count);
    const isOrdered = list.style === "ordered";
    const next = { ...list, items: rest, offset: isOrdered ? offset + count : 0 };
    return { head: { ...list, items: items.slice(0, count) }, tail: rest.length > 0 ? next : null };
  }
  const [first = [], ...rest] = items;
  const cut = cutInlines(first, (item) => holds({ ...list, items: [item] }), false);
  if (cut === null) return null;
  const [head, tail] = cut;
  const left = tail.length > 0 ? [tail, ...rest] : rest;
  return {
    head: { ...list, items: [head] },
    tail: left.length > 0 ? { ...list, items: left } : null,
  };
}

/** Cuts at the end of a line, a sentence, a word or a sign. */
function cutInlines(
  inlines: readonly Inline[],
  holds: (inlines: readonly Inline[]) => boolean,
  isCode: boolean,
): readonly [head: readonly Inline[], tail: readonly Inline[]] | null {
  const length = inlines.reduce((sum, inline) => sum + inlineWords(inline).length, 0);
  const most = largest(length, (count) => holds(splitAt(inlines, count)[0]));
  if (most === 0) return null;
  const words = inlines.map(inlineWords).join("");
  const border = most === length ? most : borderIn(words, most, isCode);
  const [head, tail] = splitAt(inlines, border);
  return [trimmedEnd(head, isCode), trimmedStart(tail, isCode)];
}

function borderIn(words: string, most: number, isCode: boolean): number {
  const least = Math.floor(most * BORDER_SHARE);
  const window = words.slice(0, most + 1);
  const line = window.lastIndexOf("\n");
  if (line > 0 && (isCode || line >= least)) return line;
  if (!isCode) {
    const sentences = [...window.matchAll(/[.!?。！？；;:：]+(?:\s|(?=\p{Script=Han}))/gu)];
    const sentence = sentences.at(-1);
    const end = sentence === undefined ? 0 : sentence.index + sentence[0].trimEnd().length;
    if (end >= least) return end;
    const space = window.search(/\s\S*$/);
    if (space >= least) return space;
  }
  return graphemeBorder(words, most);
}

/** The nearest place at or before `index` that parts no sign. */
function graphemeBorder(words: string, index: number): number {
  const from = Math.max(0, index - GRAPHEME_CHARS_MAX);
  const start = isLowSurrogate(words, from) ? from + 1 : from;
  const near = words.slice(start, index + GRAPHEME_CHARS_MAX);
  let border = start;
  for (const { index: at } of graphemes.segment(near)) {
    if (start + at > index) break;
    border = start + at;
  }
  if (border > start) return border;
  return isLowSurrogate(words, index) ? index - 1 : index;
}

function isLowSurrogate(words: string, index: number): boolean {
  const code = words.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The pieces before and after so many characters; what calls somebody is not parted. */
function splitAt(
  inlines: readonly Inline[],
  count: number,
): readonly [readonly Inline[], readonly Inline[]] {
  let left = count;
  for (const [index, inline] of inlines.entries()) {
    const { length } = inlineWords(inline);
    if (length <= left) {
      left -= length;
      continue;
    }
    const before = inlines.slice(0, index);
    if (left === 0 || !("text" in inline)) return [before, inlines.slice(index)];
    return [
      [...before, { ...inline, text: inline.text.slice(0, left) }],
      [{ ...inline, text: inline.text.slice(left) }, ...inlines.slice(index + 1)],
    ];
  }
  return [inlines, []];
}

/** The line end at the cut goes; in code nothing else does. */
function trimmedStart(inlines: readonly Inline[], isCode: boolean): readonly Inline[] {
  const [first, ...rest] = inlines;
  if (first?.type !== "text") return inlines;
  const text = isCode ? first.text.replace(/^\n/, "") : first.text.trimStart();
  if (text === "") return isCode ? rest : trimmedStart(rest, isCode);
  return [{ ...first, text }, ...rest];
}

function trimmedEnd(inlines: readonly Inline[], isCode: boolean): readonly Inline[] {
  const last = inlines.at(-1);
  if (isCode || last?.type !== "text" || last.text.trimEnd() === "") return inlines;
  return [...inlines.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}
