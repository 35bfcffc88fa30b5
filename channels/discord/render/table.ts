/**
 * Tables: the platform has none. Narrow ones stand in columns of equal width, wide ones line by
 * line with their heads.
 * @module
 */

import type { Tokens } from "marked";
import { known } from "../../markdown/markdown.ts";
import type { Fits } from "../../markdown/runs.ts";
import { literal } from "./escape.ts";
import { plainInline } from "./inline.ts";

/** More does not fit beside each other on a telephone. */
const COLUMNS_WIDTH_MAX = 60;
const GAP = "  ";
/** Two places of a column: Han and its kin, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}|[\u{20000}-\u{3fffd}]/u;

/** The table in pieces that fit, each with its head. */
export function tablePieces(
  table: Tokens.Table,
  fits: Fits,
  fenced: (code: string) => string,
): readonly string[] {
  const head = table.header.map(cellText);
  const rows = table.rows.map((row) => head.map((_, column) => cellText(row[column])));
  const widths = head.map((name, column) =>
    Math.max(1, widthOf(name), ...rows.map((row) => widthOf(row[column] ?? "")))
  );
  const width = widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length);
  if (width > COLUMNS_WIDTH_MAX) return lineByLine(head, rows, fits);
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => padded(cell, widths[column] ?? 0, table.align[column] ?? null))
      .join(GAP).trimEnd();
  const rule = widths.map((one) => "─".repeat(one)).join(GAP);
  const asCode = (lines: readonly string[]): string =>
    fenced([line(head), rule, ...lines].join("\n"));
  return grouped(rows.map(line), (lines) => fits(asCode(lines))).map(asCode);
}

/** Each row as a line of its heads and cells. */
function lineByLine(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  fits: Fits,
): readonly string[] {
  const named = (cell: string, column: number): string => {
    const name = head[column] ?? "";
    return name === "" ? literal(cell) : `**${literal(name)}**: ${literal(cell)}`;
  };
  if (rows.length === 0) return [head.map((name) => `**${literal(name)}**`).join(" · ")];
  const lines = rows.map((row) =>
    row.flatMap((cell, column) => cell === "" ? [] : [named(cell, column)]).join(" · ")
  );
  return grouped(lines.filter((line) => line !== ""), (some) => fits(some.join("\n")))
    .map((some) => some.join("\n"));
}

/** As many lines together as fit. A line that does not fit alone stands alone. */
function grouped(
  lines: readonly string[],
  fits: (lines: readonly string[]) => boolean,
): readonly (readonly string[])[] {
  if (lines.length === 0) return [[]];
  const groups: string[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last !== undefined && fits([...last, line])) last.push(line);
    else groups.push([line]);
  }
  return groups;
}

function cellText(cell: Tokens.TableCell | undefined): string {
  return plainInline(known(cell?.tokens));
}

function padded(cell: string, width: number, align: "center" | "left" | "right" | null): string {
  const room = Math.max(0, width - widthOf(cell));
  const before = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0;
  return " ".repeat(before) + cell + " ".repeat(room - before);
}

function widthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}
