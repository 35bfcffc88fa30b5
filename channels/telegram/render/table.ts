/**
 * Tables as columns of even width in a box of code: Telegram has none.
 * @module
 */

import { columnLines } from "../../markdown/columns.ts";
import { known, type MarkdownToken } from "../../markdown/markdown.ts";
import { inlineText } from "./inline.ts";

/** The lines of a table: its head, a rule, its rows. */
export function tableLines(
  table: Extract<MarkdownToken, { readonly type: "table" }>,
): readonly string[] {
  const rows = [table.header, ...table.rows].map((row) =>
    row.map((cell) => inlineText(known(cell.tokens)).text.replace(/\s+/g, " ").trim())
  );
  return columnLines(rows, table.align);
}
