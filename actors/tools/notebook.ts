/**
 * Jupyter notebooks (nbformat 4): cells put in, replaced and taken out; all else stays as it is.
 * @module
 */

import { z } from "zod";

const ID_DIGITS = 8;

/** A cell; what else it holds is kept. */
export interface Cell {
  readonly cell_type: string;
  readonly [key: string]: unknown;
}

/** A notebook; what else it holds is kept. */
export interface Notebook {
  readonly cells: readonly Cell[];
  readonly nbformat?: number | undefined;
  readonly nbformat_minor?: number | undefined;
  readonly [key: string]: unknown;
}

/** Reads a notebook's JSON. */
export const notebookSchema: z.ZodType<Notebook> = z.looseObject({
  cells: z.array(z.looseObject({ cell_type: z.string() })),
  nbformat: z.int().optional(),
  nbformat_minor: z.int().optional(),
});

/** What to do with a cell. */
export interface CellChange {
  readonly mode: "replace" | "insert" | "delete";
  /** From 0; an inserted cell comes after it, so -1 is the beginning. */
  readonly index: number;
  readonly source: string;
  /** undefined keeps a replaced cell's type, and makes a new one code. */
  readonly type: "code" | "markdown" | undefined;
}

/** The changed notebook and what was done, or why it cannot be. */
export type CellOutcome =
  | { readonly notebook: Notebook; readonly said: string }
  | { readonly problem: string };

/** A notebook without cells, for Python. */
export function emptyNotebook(): Notebook {
  return {
    cells: [],
    metadata: {
      kernelspec: { display_name: "Python 3", language: "python", name: "python3" },
      language_info: { name: "python" },
    },
    nbformat: 4,
    nbformat_minor: 5,
  };
}

/** Changes one cell. */
export function changeCells(notebook: Notebook, change: CellChange): CellOutcome {
  const { cells } = notebook;
  const { mode, index } = change;
  if (mode === "insert") {
    const at = Math.min(index + 1, cells.length);
    const cell = newCell(notebook, change);
    return {
      notebook: { ...notebook, cells: cells.toSpliced(at, 0, cell) },
      said: `Inserted cell ${at}`,
    };
  }
  const cell = cells[index];
  if (cell === undefined) {
    return { problem: `there is no cell ${index}: it has ${cells.length}, counted from 0` };
  }
  if (mode === "delete") {
    return {
      notebook: { ...notebook, cells: cells.toSpliced(index, 1) },
      said: `Deleted cell ${index}`,
    };
  }
  return {
    notebook: { ...notebook, cells: cells.with(index, replaced(cell, change)) },
    said: `Replaced cell ${index}`,
  };
}

/** What a cell printed belongs to its old source. */
function replaced(cell: Cell, { source, type }: CellChange): Cell {
  const { outputs: _outputs, execution_count: _count, ...rest } = cell;
  const cellType = type ?? cell.cell_type;
  return { ...rest, cell_type: cellType, source, ...ofCode(cellType) };
}

function newCell(notebook: Notebook, { source, type = "code" }: CellChange): Cell {
  const { nbformat = 4, nbformat_minor: minor = 0 } = notebook;
  const hasIds = nbformat > 4 || (nbformat === 4 && minor >= 5);
  return {
    cell_type: type,
    ...hasIds && { id: freeId(notebook) },
    metadata: {},
    source,
    ...ofCode(type),
  };
}

function ofCode(type: string): Record<string, unknown> {
  return type === "code" ? { execution_count: null, outputs: [] } : {};
}

/** Eight hex digits that no other cell has. */
function freeId({ cells }: Notebook): string {
  const taken = new Set(cells.map(({ id }) => id));
  for (let n = cells.length;; n++) {
    const id = n.toString(16).padStart(ID_DIGITS, "0");
    if (!taken.has(id)) return id;
  }
}
