/**
 * Lines of history in memory, in the order in which they were added.
 * @module
 */

import type { HistoryLine, LineKey } from "./journal_rows.ts";
import { Table, type UndoLog } from "./memory_table.ts";

/** Each line stands once, by its session, turn and number. */
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
    const key = keyOfLine(line);
    if (this.#places.has(key)) return false;
    const place = ++this.#lastPlace;
    this.#places.set(key, place);
    this.#lines.set(place, { ...line });
    return true;
  }

  /** Forgets a line, if it is there. */
  delete(line: LineKey): void {
    const key = keyOfLine(line);
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

function keyOfLine({ sessionKey, turnId, line }: LineKey): string {
  return JSON.stringify([sessionKey, turnId, line]);
}
