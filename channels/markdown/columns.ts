/**
 * Tables as columns of even width, for platforms that have none.
 * @module
 */

/** Characters that take two columns in a font of even width. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6]/u;
/** Characters that take none. */
const BLANK = /[\p{Mn}\p{Me}\p{Cf}]/u;
const GAP = "  ";

/** Where a column's cells stand. */
export type Alignment = "left" | "center" | "right" | null;

/** The lines of a table: its head, a rule, its rows. @param rows the head first */
export function columnLines(
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(1, ...rows.map((row) => widthOf(row[column] ?? "")))
  );
  const lines = rows.map((row) =>
    widths.map((width, column) => {
      const cell = row[column] ?? "";
      const padding = " ".repeat(width - widthOf(cell));
      return alignments[column] === "right" ? padding + cell : cell + padding;
    }).join(GAP).trimEnd()
  );
  return lines.toSpliced(1, 0, widths.map((width) => "─".repeat(width)).join(GAP));
}

/** Columns that a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!BLANK.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
