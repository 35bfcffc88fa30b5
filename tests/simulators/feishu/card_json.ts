/**
 * Cards as JSON: their elements, what a person reads in them, and what the platform refuses.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { Refusal } from "./refusal.ts";

/** A JSON object that is being edited. */
export type CardNode = { [key: string]: unknown };

/** Limits of one card. */
export interface CardLimits {
  /** Size of the card's JSON, UTF-8 bytes. */
  readonly bytesMax: number;
  readonly elementsMax: number;
  /** Table elements and Markdown tables together. */
  readonly tablesMax: number;
}

/** What the documentation names. */
export const CARD_LIMITS: CardLimits = { bytesMax: 30 * 1024, elementsMax: 200, tablesMax: 5 };

const TEXT_TAGS: ReadonlySet<string> = new Set(["plain_text", "lark_md", "standard_icon"]);
const MARKDOWN_TABLE = /^[ >]*\|.*\|[ \t]*\n[ >]*\|[ \t:|-]*-[ \t:|-]*\|[ \t]*$/gm;

/** Whether the value is an object (no list, not null). */
export function isNode(value: unknown): value is CardNode {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value itself if it is an object, else undefined. */
export function asNode(value: unknown): CardNode | undefined {
  return isNode(value) ? value : undefined;
}

/** The value as a list; anything else is an empty one. */
export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as text; anything else is "". */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The list that holds the card's elements (JSON 1.0 and 2.0). */
export function elementsOf(card: CardNode): unknown[] {
  const holder = card["schema"] === "2.0" ? asNode(card["body"]) : card;
  return asList(holder?.["elements"]);
}

/** Every node with a tag below `value`, outermost first. */
export function* taggedNodes(value: unknown): Generator<CardNode> {
  if (Array.isArray(value)) {
    for (const item of value) yield* taggedNodes(item);
    return;
  }
  if (!isNode(value)) return;
  if (typeof value["tag"] === "string") yield value;
  for (const child of Object.values(value)) yield* taggedNodes(child);
}

/** The list that holds the element, and its place there. */
export interface ElementPlace {
  readonly list: unknown[];
  readonly index: number;
}

/** Where the element with this id stands; containers are searched too. */
export function findElement(list: unknown[], elementId: string): ElementPlace | undefined {
  for (const [index, item] of list.entries()) {
    const node = asNode(item);
    if (node === undefined) continue;
    if (node["element_id"] === elementId) return { list, index };
    for (const key of ["elements", "columns", "actions"]) {
      const inside = findElement(asList(node[key]), elementId);
      if (inside !== undefined) return inside;
    }
  }
  return undefined;
}

/** How many tables the card shows, those in Markdown outside code fences included. */
export function countTables(card: CardNode): number {
  let tables = 0;
  for (const node of taggedNodes(elementsOf(card))) {
    if (node["tag"] === "table") tables++;
    if (node["tag"] !== "markdown") continue;
    const prose = asText(node["content"]).replaceAll(/^```[\s\S]*?(^```|$(?![\s\S]))/gm, "");
    tables += prose.match(MARKDOWN_TABLE)?.length ?? 0;
  }
  return tables;
}

/** @throws {Refusal} 230099 with the inner code in the text, as for cards in messages */
export function checkCard(card: CardNode, limits: CardLimits): void {
  const refuse = (innerCode: number, what: string) => {
    const text = `Failed to create card content, ext=ErrCode: ${innerCode}; ErrMsg: ${what}`;
    throw new Refusal(230099, text);
  };
  if (countTables(card) > limits.tablesMax) refuse(11310, "card table number over limit");
  const topLevel = new Set<unknown>(elementsOf(card));
  let elements = 0;
  for (const node of taggedNodes(elementsOf(card))) {
    if (TEXT_TAGS.has(asText(node["tag"]))) continue;
    if (++elements > limits.elementsMax) refuse(11310, "element exceeds the limit");
    if (node["tag"] !== "table") continue;
    if (!topLevel.has(node)) refuse(200621, "table is allowed at top level only");
    const pageSize = node["page_size"] ?? 5;
    const isPageSize = typeof pageSize === "number" && Number.isInteger(pageSize);
    if (!isPageSize || pageSize < 1 || pageSize > 10) refuse(200621, "page_size is not in [1,10]");
    if (asList(node["columns"]).length > 50) refuse(200621, "more than 50 columns");
  }
}

/** @throws {Refusal} 300301 for an id that stands twice, 300303 for a malformed one */
export function checkElementIds(card: CardNode): void {
  const seen = new Set<string>();
  for (const { element_id: id } of taggedNodes(elementsOf(card))) {
    if (id === undefined) continue;
    if (typeof id !== "string" || !/^[A-Za-z][A-Za-z0-9_]{0,19}$/.test(id)) {
      throw new Refusal(300303, `element_id ${String(id)} is invalid`);
    }
    if (seen.has(id)) throw new Refusal(300301, `element_id ${id} is repeated`);
    seen.add(id);
  }
}

/** UTF-8 bytes of the card's JSON. */
export function cardBytes(card: CardNode): number {
  return new TextEncoder().encode(JSON.stringify(card)).length;
}

/** What a person reads: the title, then each element on lines of its own. */
export function renderCard(card: CardNode): string {
  const title = asText(asNode(asNode(card["header"])?.["title"])?.["content"]);
  return [title, ...elementsOf(card).map(renderElement)].filter((line) => line !== "").join("\n");
}

function renderElement(value: unknown): string {
  const node = asNode(value);
  if (node === undefined) return "";
  switch (node["tag"]) {
    case "markdown":
    case "plain_text":
    case "lark_md":
      return asText(node["content"]);
    case "div": {
      const fields = asList(node["fields"]).map((field) => renderElement(asNode(field)?.["text"]));
      return [renderElement(node["text"]), ...fields].filter((line) => line !== "").join("\n");
    }
    case "button":
      return `[${renderElement(node["text"])}]`;
    case "img":
      return "[image]";
    case "hr":
      return "---";
    case "table":
      return renderTable(node);
    default: {
      const inside = [...asList(node["columns"]), ...asList(node["elements"])];
      const head = renderElement(asNode(node["header"])?.["title"]);
      return [head, ...inside.map(renderElement)].filter((line) => line !== "").join("\n");
    }
  }
}

function renderTable(table: CardNode): string {
  const columns = asList(table["columns"]).map((column) => asNode(column) ?? {});
  const head = columns.map((column) => asText(column["display_name"]));
  const rows = asList(table["rows"]).map((row) => {
    return columns.map((column) => String(asNode(row)?.[asText(column["name"])] ?? ""));
  });
  return [head, ...rows].map((cells) => cells.join(" | ")).join("\n");
}

const buttonSchema = z.object({
  tag: z.literal("button"),
  text: z.object({ content: z.string() }),
  behaviors: z.array(z.object({
    type: z.literal("callback"),
    value: z.record(z.string(), z.json()),
  })).min(1),
});

/** What the buttons below `node` show. */
export function buttonLabels(node: unknown): readonly string[] {
  const button = buttonSchema.safeParse(node).data;
  if (button !== undefined) return [button.text.content];
  if (typeof node !== "object" || node === null) return [];
  return Object.values(node).flatMap(buttonLabels);
}

/** What the press of a button sends; undefined where nothing below `node` shows `label`. */
export function buttonValue(node: unknown, label: string): JsonObject | undefined {
  const button = buttonSchema.safeParse(node).data;
  if (button?.text.content === label) return button.behaviors[0]?.value;
  if (typeof node !== "object" || node === null) return undefined;
  for (const inner of Object.values(node)) {
    const value = buttonValue(inner, label);
    if (value !== undefined) return value;
  }
  return undefined;
}
