/**
 * Tables as columns of even width in a box of code: WhatsApp has none.
 * @module
 */

import { columnLines } from "../../markdown/columns.ts";
import { known, type MarkdownToken } from "../../markdown/markdown.ts";
import { plainText } from "./inline.ts";

/** The lines of a table. */
export function tableLines(
  table: Extract<MarkdownToken, { readonly type: "table" }>,
): readonly string[] {
  const rows = [table.header, ...table.rows].map((row) =>
    row.map((cell) => plainText(known(cell.tokens)).replace(/\s+/g, " ").trim())
  );
  return columnLines(rows, table.align);
}
