/**
 * Lines of history in memory, in the order in which they were added.
 * @module
 */

import type { HistoryLine } from "./journal_rows.ts";
import { Table, type UndoLog } from "./memory_table.ts";

/** Each line stands once, by its turn and number. */
export class MemoryLines {
  readonly #lines: Table<number, HistoryLine>;
  readonly #places: Table<string, number>;
  #lastPlace = 0;

  constructor(undo: UndoLog) {
    this.#lines = new Table(undo);
    this.#places = new Table(undo);
  }

  /** Adds a line; false when it is there. */
  insert(line: HistoryLine): boolean {
    const key = keyOfLine(line.turnId, line.line);
    if (this.#places.has(key)) return false;
    const place = ++this.#lastPlace;
    this.#places.set(key, place);
    this.#lines.set(place, { ...line });
    return true;
  }

  /** Forgets a line, if it is there. */
  delete(turnId: string, line: number): void {
    const key = keyOfLine(turnId, line);
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#places.set(key, undefined);
    this.#lines.set(place, undefined);
  }

  /** All of them. */
  inOrder(): readonly HistoryLine[] {
    return this.#lines.list();
  }
}

function keyOfLine(turnId: string, line: number): string {
  return JSON.stringify([turnId, line]);
}
