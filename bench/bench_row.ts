/**
 * What a benchmark reports.
 * @module
 */

/** A measured value beside its budget. */
export interface BenchRow {
  /** What was measured, as a person would say it. */
  readonly what: string;
  readonly value: number;
  /** Unit of value and budget: `ns`, `bytes`, `/s`. */
  readonly unit: string;
  /** The bound the value must keep; undefined where none is promised. */
  readonly budget: { readonly atMost: number } | { readonly atLeast: number } | undefined;
  /** How it was measured: sample size, warm-up, what stands in for what. */
  readonly note?: string;
}

/** Whether the value keeps its budget. */
export function isWithinBudget({ value, budget }: BenchRow): boolean {
  if (budget === undefined) return true;
  return "atMost" in budget ? value <= budget.atMost : value >= budget.atLeast;
}
