/**
 * A table of a received card as a Markdown table.
 * @module
 */

import { z } from "zod";
import { joinedLines } from "../../joined_lines.ts";

const cellSchema = z.union([
  z.string(),
  z.number().transform(String),
  z.boolean().transform(String),
  z.array(z.unknown()).transform((items) => items.map(cellText).filter((t) => t !== "").join(", ")),
  z.record(z.string(), z.unknown()).transform((fields) =>
    cellText(fields["content"] ?? fields["text"] ?? fields["name"] ?? "")
  ),
]);

const tableSchema = z.object({
  columns: z.array(
    z.object({ name: z.string().catch(""), display_name: z.string().catch("") })
      .catch({ name: "", display_name: "" }),
  ).catch([]),
  rows: z.array(z.record(z.string(), z.unknown()).catch({})).catch([]),
});

/** The lines of a table element; none when it has no columns. */
export function readTable(element: unknown): string[] {
  const table = tableSchema.safeParse(element).data;
  if (table === undefined) return [];
  const columns = columnsOf(table);
  if (columns.length === 0) return [];
  return [
    row(columns.map(({ name, display_name }) => display_name || name)),
    row(columns.map(() => "---")),
    ...table.rows.map((cells) => row(columns.map(({ name }) => cellText(cells[name])))),
  ];
}

/** The table's columns; those that only its rows know come last. */
function columnsOf({ columns, rows }: z.infer<typeof tableSchema>): z.infer<
  typeof tableSchema
>["columns"] {
  const known = new Set(columns.map(({ name }) => name));
  const unknown = new Set(rows.flatMap((cells) => Object.keys(cells)).filter((n) => !known.has(n)));
  return [...columns, ...[...unknown].map((name) => ({ name, display_name: "" }))];
}

function cellText(cell: unknown): string {
  const text = cellSchema.safeParse(cell).data ?? "";
  return joinedLines(text.replaceAll("|", "\\|")).trim();
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
