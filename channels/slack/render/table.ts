/**
 * Tables: in columns where they are narrow, otherwise a line for each row.
 * @module
 */

import type { Tokens } from "marked";
import { joinedLines } from "../../joined_lines.ts";
import { known } from "../../markdown/markdown.ts";
import { inlinesOf, joined, textInlines } from "./inline.ts";
import { type Block, type Inline, inlineWords } from "./rich.ts";

/** Wider ones would be broken at the edge of most windows. */
const WIDTH_MAX = 76;
/** Signs that take two columns. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|[\u{20000}-\u{3FFFD}]/gu;

/** The table as blocks. */
export function tableBlocks(table: Tokens.Table): readonly Block[] {
  const rows = [table.header, ...table.rows].map((row) => row.map(cellWords));
  const widths = table.header.map((_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? "")))
  );
  const isNarrow = widths.reduce((sum, width) => sum + width + 2, -2) <= WIDTH_MAX;
  if (isNarrow) return [columns(rows, widths, table.align)];
  const lines = table.rows.length === 0
    ? [withDots(table.header.map(({ tokens }) => inlinesOf(known(tokens), { bold: true })))]
    : table.rows.map((row) => rowInlines(table.header, row));
  return lines.map((elements) => ({ type: "rich_text_section", elements }));
}

function columns(
  [header = [], ...rows]: readonly (readonly string[])[],
  widths: readonly number[],
  aligns: Tokens.Table["align"],
): Block {
  const line = (cells: readonly string[]): string =>
    widths.map((width, column) => padded(cells[column] ?? "", width, aligns[column])).join("  ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("  ");
  const text = [line(header), rule, ...rows.map(line)].join("\n");
  return { type: "rich_text_preformatted", elements: textInlines(text) };
}

/** `Header: cell · Header: cell`; cells without words are left out. */
function rowInlines(
  header: readonly Tokens.TableCell[],
  row: readonly Tokens.TableCell[],
): readonly Inline[] {
  const cells = row.flatMap(({ tokens }, column): (readonly Inline[])[] => {
    const cell = inlinesOf(known(tokens));
    const name = cellWords(header[column]);
    if (cell.length === 0) return [];
    return [[
      ...textInlines(name === "" ? "" : `${name}:`, { bold: true }),
      ...textInlines(" "),
      ...cell,
    ]];
  });
  return withDots(cells);
}

function withDots(cells: readonly (readonly Inline[])[]): readonly Inline[] {
  const dot = textInlines(" · ");
  return joined(cells.flatMap((cell, index) => index === 0 ? cell : [...dot, ...cell]));
}

function cellWords(cell: Tokens.TableCell | undefined): string {
  return joinedLines(inlinesOf(known(cell?.tokens)).map(inlineWords).join("")).trim();
}

function padded(text: string, width: number, align: Tokens.Table["align"][number] = null): string {
  const space = width - widthOf(text);
  const before = align === "right" ? space : align === "center" ? Math.floor(space / 2) : 0;
  return " ".repeat(before) + text + " ".repeat(space - before);
}

function widthOf(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0);
}
