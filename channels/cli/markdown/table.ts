/**
 * A Markdown table with its columns in line, whatever stands in them.
 * @module
 */

import stringWidth from "string-width";
import { known, parseMarkdown } from "../../markdown/markdown.ts";
import { inlineText, styled } from "./inline.ts";

/** Between two columns. */
const GAP = "  ";

/** The table's lines; null where it is no table, or too wide for the screen. */
export function tableText(source: string, columns: number): string | null {
  const [table, ...others] = parseMarkdown(source);
  if (table?.type !== "table" || others.length > 0) return null;
  const rows = [table.header, ...table.rows]
    .map((cells) => cells.map(({ tokens }) => inlineText(known(tokens))));
  const widths = table.header.map((_, at) =>
    Math.max(...rows.map((cells) => stringWidth(cells[at] ?? "")))
  );
  if (widths.reduce((sum, width) => sum + width + GAP.length, 0) - GAP.length > columns) {
    return null;
  }
  const line = (cells: readonly string[]) =>
    cells.map((cell, at) => padded(cell, widths[at] ?? 0, table.align[at] ?? null)).join(GAP)
      .trimEnd();
  const [header = [], ...body] = rows;
  const rule = styled("dim", widths.map((width) => "─".repeat(width)).join(GAP));
  return [styled("bold", line(header)), rule, ...body.map(line)]
    .map((text) => `${text}\n`).join("");
}

function padded(text: string, width: number, align: "center" | "left" | "right" | null): string {
  const room = Math.max(0, width - stringWidth(text));
  const before = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0;
  return `${" ".repeat(before)}${text}${" ".repeat(room - before)}`;
}
