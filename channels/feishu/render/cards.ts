/**
 * Lays an answer out in cards: each within the platform's limits, filled from the start, so that
 * those of a growing answer seldom change once the next one has begun.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import { cutBlock, isTight } from "../../markdown/blocks.ts";
import type { Dialect } from "../../markdown/dialect.ts";
import type { Fits } from "../../markdown/runs.ts";
import { cardDialect, type ImageKeys } from "./dialect.ts";
import { BODY_BYTES_MAX, ELEMENTS_MAX, jsonBytes, TABLES_MAX } from "./limits.ts";
import { type MarkdownToken, parseMarkdown } from "../../markdown/markdown.ts";
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
  readonly tables: number;
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
  const cards: CardFill[] = [];
  let card = new CardFill(limits);
  for (const part of partsOf(text, cardDialect(images), limits)) {
    if (card.add(part)) continue;
    const next = new CardFill(limits);
    const carried = card.takeHeadings();
    cards.push(card);
    card = next;
    for (const heading of carried) card.add(heading);
    if (card.add(part)) continue;
    cards.push(card);
    card = new CardFill(limits);
    card.add(part);
  }
  return [...cards, card].flatMap(({ parts }) => parts.length === 0 ? [] : [bodyOf(parts)]);
}

/** A card that is being filled; the first part always fits. */
class CardFill {
  readonly parts: Part[] = [];
  readonly #limits: CardLimits;
  #markdownBytes = ELEMENT_BYTES;
  #elementBytes = ELEMENT_BYTES;
  #tables = 0;
  #components = 0;

  constructor(limits: CardLimits) {
    this.#limits = limits;
  }

  /** Takes the part; false when there is no room for it. */
  add(part: Part): boolean {
    const markdownBytes = this.#markdownBytes + part.markdownBytes;
    const elementBytes = this.#elementBytes + part.elementBytes;
    const tables = this.#tables + part.tables;
    const components = this.#components + (part.element === null ? 0 : 1);
    const { bytesMax, tablesMax } = this.#limits;
    const bytes = components === 0 ? markdownBytes : Math.max(markdownBytes, elementBytes);
    const isFull = bytes > bytesMax || tables > tablesMax || 2 * components > ELEMENTS_MAX;
    if (isFull && this.parts.length > 0) return false;
    this.parts.push(part);
    this.#markdownBytes = markdownBytes;
    this.#elementBytes = elementBytes;
    this.#tables = tables;
    this.#components = components;
    return true;
  }

  /** Headings that would stand alone at the end go along to the next card. */
  takeHeadings(): readonly Part[] {
    const last = this.parts.findLastIndex(({ isHeading }) => !isHeading);
    return last < 0 ? [] : this.parts.splice(last + 1);
  }
}

function partsOf(text: string, dialect: Dialect, limits: CardLimits): readonly Part[] {
  const room = limits.bytesMax - 2 * ELEMENT_BYTES;
  const fits: Fits = (piece) => jsonBytes(piece) <= room && countTables(piece) <= limits.tablesMax;
  const parts: Part[] = [];
  let gap = "\n\n";
  for (const token of parseMarkdown(text)) {
    const pieces = token.type === "table"
      ? tableParts(token, dialect, room)
      : cutBlock(token, dialect, fits)
        .map((markdown) => ({ markdown, element: null }));
    for (const [index, piece] of pieces.entries()) {
      parts.push({
        ...piece,
        gap: index > 0 ? "\n\n" : gapBefore(token, gap),
        isHeading: token.type === "heading",
        tables: piece.element === null ? countTables(piece.markdown) : 1,
        markdownBytes: jsonBytes(piece.markdown) + 2,
        elementBytes: jsonBytes(piece.element ?? piece.markdown) + ELEMENT_BYTES,
      });
    }
    // What is not shown kept its neighbours apart.
    gap = pieces.length > 0 ? gapAfter(token) : "\n\n";
  }
  return parts;
}

const CODE = /^[ >]*(`{3,})[^\n]*\n[\s\S]*?^[ >]*\1[ ]*$/gm;
const TABLE_HEAD = /^[ >]*\|.*\|[ ]*\n[ >]*\|(?=[^\n]*-)[ :|-]*\|[ ]*$/gm;

/** Tables in Markdown, those in lists and quotes included. */
function countTables(markdown: string): number {
  if (!markdown.includes("|")) return 0;
  return markdown.replace(CODE, "").match(TABLE_HEAD)?.length ?? 0;
}

/** One line end where the writer put one and that changes nothing; else a blank line. */
function gapBefore(token: MarkdownToken, gap: string): string {
  const isApart = token.type === "hr" || token.type === "html" || token.type === "table" ||
    (token.type === "list" && !isTight(token));
  return isApart ? "\n\n" : gap;
}

function gapAfter(token: MarkdownToken): string {
  const joins = token.type === "heading" || token.type === "code" || token.type === "paragraph";
  return joins && /[^\n]\n$/.test(token.raw) ? "\n" : "\n\n";
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
