/**
 * Lays an answer out in cards: each within the platform's limits, filled from the start, so that
 * those of a growing answer seldom change once the next one has begun.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { cutBlock } from "./blocks.ts";
import type { ImageKeys } from "./inline.ts";
import { BODY_BYTES_MAX, ELEMENTS_MAX, jsonBytes, TABLES_MAX } from "./limits.ts";
import { type MarkdownToken, parseMarkdown } from "./markdown.ts";
import { tableParts } from "./table.ts";

/** What one card shows. */
export interface CardBody {
  /** All of it as Markdown, for a card whose text grows. */
  readonly markdown: string;
  /** All of it as elements; tables are components. */
  readonly elements: readonly JsonObject[];
}

/** The element that holds the text, or the first piece of it. */
export const ANSWER_ELEMENT_ID = "answer";

/** What a card may hold. */
export interface CardLimits {
  /** Bytes of all elements as JSON. */
  readonly bytesMax: number;
  readonly tablesMax: number;
}

const DEFAULT_LIMITS: CardLimits = { bytesMax: BODY_BYTES_MAX, tablesMax: TABLES_MAX };

/** A piece that stays in one card. */
interface Part {
  readonly markdown: string;
  readonly element: JsonObject | null;
  /** What stands before it, unless it is the first one. */
  readonly gap: string;
  readonly isHeading: boolean;
  readonly isTable: boolean;
  readonly markdownBytes: number;
  readonly elementBytes: number;
}

/** An element's own JSON, which a piece of text between tables needs once more. */
const ELEMENT_BYTES = 80;

/**
 * The cards that show `text`, in order; none is blank.
 *
 * @param text Markdown
 * @param images keys of uploaded pictures
 */
export function layOutCards(
  text: string,
  images: ImageKeys = new Map(),
  limits: CardLimits = DEFAULT_LIMITS,
): readonly CardBody[] {
  const cards: Part[][] = [];
  let card: Part[] = [];
  for (const part of partsOf(text, images, limits.bytesMax)) {
    if (card.length > 0 && !hasRoom(card, part, limits)) {
      const carried = headingsAtEnd(card);
      cards.push(card.slice(0, card.length - carried.length));
      card = carried;
      if (!hasRoom(card, part, limits)) {
        cards.push(card);
        card = [];
      }
    }
    card.push(part);
  }
  cards.push(card);
  return cards.filter((parts) => parts.length > 0).map(bodyOf);
}

function partsOf(text: string, images: ImageKeys, bytesMax: number): readonly Part[] {
  const room = bytesMax - 2 * ELEMENT_BYTES;
  const parts: Part[] = [];
  let gap = "\n\n";
  for (const token of parseMarkdown(text)) {
    const pieces = token.type === "table"
      ? tableParts(token, images, room)
      : cutBlock(token, images, (piece) => jsonBytes(piece) <= room)
        .map((markdown) => ({ markdown, element: null }));
    for (const [index, piece] of pieces.entries()) {
      parts.push({
        ...piece,
        gap: index > 0 ? "\n\n" : gapBefore(token, gap),
        isHeading: token.type === "heading",
        isTable: token.type === "table",
        markdownBytes: jsonBytes(piece.markdown) + 2,
        elementBytes: jsonBytes(piece.element ?? piece.markdown) + ELEMENT_BYTES,
      });
    }
    if (pieces.length > 0) gap = gapAfter(token);
  }
  return parts;
}

/** One line end where the writer put one and that changes nothing; else a blank line. */
function gapBefore(token: MarkdownToken, gap: string): string {
  const isApart = token.type === "hr" || token.type === "html" || token.type === "table";
  return isApart ? "\n\n" : gap;
}

function gapAfter(token: MarkdownToken): string {
  const joins = token.type === "heading" || token.type === "code" || token.type === "paragraph";
  return joins && /[^\n]\n$/.test(token.raw) ? "\n" : "\n\n";
}

function hasRoom(card: readonly Part[], part: Part, limits: CardLimits): boolean {
  const parts = [...card, part];
  if (parts.filter(({ isTable }) => isTable).length > limits.tablesMax) return false;
  if (parts.length > ELEMENTS_MAX && part.element !== null) return false;
  const markdownBytes = parts.reduce((sum, piece) => sum + piece.markdownBytes, 0);
  const elementBytes = parts.reduce((sum, piece) => sum + piece.elementBytes, 0);
  const isText = parts.every(({ element }) => element === null);
  const bytes = isText ? markdownBytes : Math.max(markdownBytes, elementBytes);
  return bytes + ELEMENT_BYTES <= limits.bytesMax;
}

/** Headings that would stand alone at the end go along to the next card. */
function headingsAtEnd(card: readonly Part[]): Part[] {
  const last = card.findLastIndex(({ isHeading }) => !isHeading);
  return last < 0 ? [] : card.slice(last + 1);
}

function bodyOf(parts: readonly Part[]): CardBody {
  const elements: JsonObject[] = [];
  let run: Part[] = [];
  const flush = (): void => {
    if (run.length > 0) elements.push(textElement(joined(run), elements.length));
    run = [];
  };
  for (const part of parts) {
    if (part.element === null) run.push(part);
    else {
      flush();
      elements.push(part.element);
    }
  }
  flush();
  return { markdown: joined(parts), elements };
}

function joined(parts: readonly Part[]): string {
  return parts.map(({ gap, markdown }, index) => index === 0 ? markdown : gap + markdown).join("");
}

function textElement(content: string, index: number): JsonObject {
  const id = index === 0 ? ANSWER_ELEMENT_ID : `${ANSWER_ELEMENT_ID}_${index}`;
  return { tag: "markdown", content, element_id: id };
}
