/**
 * The measured values as people and programs read them.
 * @module
 */

import { type BenchRow, isWithinBudget } from "./bench_row.ts";

const HEADINGS = ["what", "measured", "unit", "budget", "", "how"] as const;
/** The columns that hold numbers. */
const RIGHT = new Set([1, 3]);

/** One line for each row under a line of headings. */
export function renderTable(rows: readonly BenchRow[]): string {
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0))
  );
  return cells.map((line) => {
    const padded = line.map((cell, column) => {
      const width = widths[column] ?? 0;
      return RIGHT.has(column) ? cell.padStart(width) : cell.padEnd(width);
    });
    return `${padded.join("  ").trimEnd()}\n`;
  }).join("");
}

/** The same as JSON, with the verdict in each row. */
export function renderJson(rows: readonly BenchRow[]): string {
  const measured = rows.map((row) => ({ ...row, isWithinBudget: isWithinBudget(row) }));
  return `${JSON.stringify(measured, null, 2)}\n`;
}

function cellsOf(row: BenchRow): readonly string[] {
  const { what, value, unit, budget, note = "" } = row;
  const verdict = isWithinBudget(row) ? "ok" : "OVER";
  const bound = budget === undefined
    ? ""
    : "atMost" in budget
    ? `<= ${shown(budget.atMost)}`
    : `>= ${shown(budget.atLeast)}`;
  return [what, shown(value), unit, bound, budget === undefined ? "" : verdict, note];
}

/** Three digits that matter; whole above a hundred. */
function shown(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}
