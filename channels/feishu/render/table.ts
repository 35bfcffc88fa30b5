/**
 * Tables as the card's own table component.
 * @module
 */

import type { Tokens } from "marked";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { inlineText, rowRuns, rowText, tableText } from "../../markdown/blocks.ts";
import { type Dialect, guardedStart } from "../../markdown/dialect.ts";
import { cutRuns } from "../../markdown/inline.ts";
import { readable } from "./escape.ts";
import { COLUMNS_MAX, jsonBytes, PAGE_ROWS_MAX } from "./limits.ts";
import { known, type MarkdownToken } from "../../markdown/markdown.ts";
import type { Fits } from "../../markdown/runs.ts";

/** A part of a table: the component, and the same as Markdown for a card that still grows. */
export interface TablePart {
  readonly markdown: string;
  /** Null for what no component can hold. */
  readonly element: JsonObject | null;
}

/** The table in parts of at most `bytesMax`, each with the head; at most 50 columns wide. */
export function tableParts(
  table: Tokens.Table,
  dialect: Dialect,
  bytesMax: number,
): readonly TablePart[] {
  return columnGroups(table).flatMap((group) => rowGroups(group, dialect, bytesMax));
}

/** What is wider than the platform takes goes on in a further table. */
function columnGroups(table: Tokens.Table): readonly Tokens.Table[] {
  const count = Math.ceil(table.header.length / COLUMNS_MAX);
  if (count <= 1) return [table];
  return Array.from({ length: count }, (_, index) => {
    const take = <Item>(items: readonly Item[]): Item[] =>
      items.slice(index * COLUMNS_MAX, (index + 1) * COLUMNS_MAX);
    const rows = table.rows.map(take);
    return { ...table, header: take(table.header), align: take(table.align), rows };
  });
}

function rowGroups(
  table: Tokens.Table,
  dialect: Dialect,
  bytesMax: number,
): readonly TablePart[] {
  const fits: Fits = (text) => jsonBytes(text) <= bytesMax;
  const partOf = (rows: Tokens.Table["rows"]): TablePart => ({
    markdown: tableText(table, rows, dialect),
    element: tableElement(table, rows, dialect),
  });
  const { markdown, element } = partOf([]);
  const room = bytesMax - Math.max(jsonBytes(markdown), jsonBytes(element));
  const sizes = table.rows.map((row) => bytesOfRow(row, dialect));
  // The component needs a row; a head alone stays Markdown.
  if (table.rows.length === 0) return headOnly(table, dialect, fits);
  const parts: TablePart[] = [];
  for (let start = 0; start < table.rows.length;) {
    const count = countWithin(room, sizes.slice(start));
    if (count > 0) parts.push(partOf(table.rows.slice(start, start + count)));
    else {
      const pieces = cutRuns(rowRuns(table, table.rows[start] ?? [], dialect), dialect, fits);
      parts.push(...pieces.map((markdown) => ({ markdown, element: null })));
    }
    start += Math.max(1, count);
  }
  return parts;
}

/** How many of the first sizes have room together. */
function countWithin(room: number, sizes: readonly number[]): number {
  let left = room;
  const first = sizes.findIndex((size) => (left -= size) < 0);
  return first < 0 ? sizes.length : first;
}

/** Most bytes that a row adds to the component, or to the same as Markdown. */
function bytesOfRow(row: readonly Tokens.TableCell[], dialect: Dialect): number {
  const cells = row.map(({ tokens }, column) => {
    const rich = guardedStart(inlineText(tokens, dialect), dialect);
    const plain = readable(rich);
    const bytes = plain === rich ? jsonBytes(rich) : Math.max(jsonBytes(rich), jsonBytes(plain));
    return `"c${column}":,`.length + bytes;
  });
  const asElement = cells.reduce((sum, bytes) => sum + bytes, 3);
  return Math.max(asElement, jsonBytes(rowText(row, dialect)) + 2);
}

function headOnly(table: Tokens.Table, dialect: Dialect, fits: Fits): readonly TablePart[] {
  const whole = tableText(table, [], dialect);
  const pieces = fits(whole)
    ? [whole]
    : cutRuns(rowRuns(table, table.header, dialect), dialect, fits);
  return pieces.map((markdown) => ({ markdown, element: null }));
}

function tableElement(
  table: Tokens.Table,
  rows: Tokens.Table["rows"],
  dialect: Dialect,
): JsonObject {
  const isRich = table.header.map((_, column) =>
    rows.some((row) => !isPlain(known(row[column]?.tokens)))
  );
  const columns = table.header.map(({ tokens }, column) => ({
    name: `c${column}`,
    display_name: plainText(known(tokens)),
    data_type: isRich[column] === true ? "markdown" : "text",
    horizontal_align: table.align[column] ?? "left",
    width: "auto",
  }));
  return {
    tag: "table",
    page_size: Math.min(PAGE_ROWS_MAX, rows.length),
    row_height: "auto",
    header_style: { bold: true },
    columns,
    rows: rows.map((row) =>
      Object.fromEntries(row.map(({ tokens }, column) => {
        const text = inlineText(tokens, dialect);
        return [
          `c${column}`,
          isRich[column] === true ? guardedStart(text, dialect) : readable(text),
        ];
      }))
    ),
  };
}

/** A cell of the simplest kind shows its text as it is. */
function isPlain(tokens: readonly MarkdownToken[]): boolean {
  return tokens.every(({ type, raw }) =>
    type === "escape" || (type === "text" && !/@[^@]* \(ou_|&\w+;/.test(raw))
  );
}

/** The words without marks: a column's name knows none. */
function plainText(tokens: readonly MarkdownToken[]): string {
  return tokens.map((token): string => {
    switch (token.type) {
      case "br":
        return " ";
      case "html":
        return /^<br\s*\/?>$/i.test(token.raw) ? " " : token.raw;
      case "codespan":
      case "escape":
        return token.text;
      case "image":
        return token.text === "" ? "image" : token.text;
      default: {
        const children = "tokens" in token ? known(token.tokens) : [];
        return children.length > 0 ? plainText(children) : token.raw;
      }
    }
  }).join("").trim();
}
