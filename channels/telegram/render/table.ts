/**
 * Tables as columns of even width in a box of code: Telegram has none.
 * @module
 */

import { known, type MarkdownToken } from "../../markdown/markdown.ts";
import { inlineText } from "./inline.ts";

/** Characters that take two columns in a font of even width. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6]/u;
/** Characters that take none. */
const BLANK = /[\p{Mn}\p{Me}\p{Cf}]/u;
const GAP = "  ";

/** The lines of a table: its head, a rule, its rows. */
export function tableLines(
  table: Extract<MarkdownToken, { readonly type: "table" }>,
): readonly string[] {
  const cells = [table.header, ...table.rows].map((row) =>
    row.map((cell) => inlineText(known(cell.tokens)).text.replace(/\s+/g, " ").trim())
  );
  const widths = table.header.map((_, column) =>
    Math.max(1, ...cells.map((row) => widthOf(row[column] ?? "")))
  );
  const lines = cells.map((row) =>
    widths.map((width, column) => {
      const cell = row[column] ?? "";
      const padding = " ".repeat(width - widthOf(cell));
      return table.align[column] === "right" ? padding + cell : cell + padding;
    }).join(GAP).trimEnd()
  );
  const rule = widths.map((width) => "─".repeat(width)).join(GAP);
  return lines.toSpliced(1, 0, rule);
}

/** Columns that a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!BLANK.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
