/**
 * What the next entry of a history has to know of those before it, kept as long as the file stays
 * as we left it: reading 100,000 entries for each new one would take a second.
 * @module
 */

import { historyLine } from "./history_file.ts";
import type { FileMark, MemoryFiles } from "./ports.ts";
import type { HistoryEntry } from "./protocol.ts";
import type { MemoryScope } from "./scope.ts";

/** Histories that are kept in mind, those that grew last. */
const KNOWN_MAX = 16;

/** What a history holds, as far as the next entry needs it. */
export interface KnownHistory {
  /** Numbers of entries by their key. */
  readonly cursors: ReadonlyMap<string, number>;
  /** The highest number; 0 without any. */
  readonly highest: number;
}

interface Kept extends KnownHistory {
  readonly cursors: Map<string, number>;
  /** Null: not known, so the file is read again the next time. */
  readonly mark: FileMark | null;
  /** Whether the last line has its end, which a crash may have cut off. */
  readonly isEnded: boolean;
}

/** Reads the entries of a history's text. */
type ReadEntries = (scope: MemoryScope, text: string) => Promise<readonly HistoryEntry[]>;

/** One for each workspace, used by one thing at a time. Errors are those of the files. */
export class KnownHistories {
  readonly #files: Pick<MemoryFiles, "read" | "append" | "mark">;
  readonly #readEntries: ReadEntries;
  readonly #kept = new Map<string, Kept>();

  constructor(files: Pick<MemoryFiles, "read" | "append" | "mark">, readEntries: ReadEntries) {
    this.#files = files;
    this.#readEntries = readEntries;
  }

  /** What a history holds now, whoever changed it. */
  of(scope: MemoryScope): Promise<KnownHistory> {
    return this.#current(scope);
  }

  /** Appends an entry whose key and number are new. */
  async append(scope: MemoryScope, entry: HistoryEntry): Promise<void> {
    const known = await this.#current(scope);
    const text = `${known.isEnded ? "" : "\n"}${historyLine(entry)}`;
    this.#kept.delete(scope.folder); // unless it succeeds
    await this.#files.append(scope.historyPath, text);
    const mark = await this.#files.mark(scope.historyPath);
    const size = (known.mark?.size ?? 0) + new TextEncoder().encode(text).length;
    if (mark?.size !== size) return; // somebody wrote there, too
    if (entry.id !== undefined) known.cursors.set(entry.id, entry.cursor);
    this.#keep(scope, { ...known, highest: entry.cursor, mark, isEnded: true });
  }

  async #current(scope: MemoryScope): Promise<Kept> {
    const before = await this.#files.mark(scope.historyPath);
    const kept = this.#kept.get(scope.folder);
    if (kept !== undefined && isSame(kept.mark, before)) return kept;
    const text = await this.#files.read(scope.historyPath) ?? "";
    const entries = await this.#readEntries(scope, text);
    const cursors = new Map<string, number>();
    let highest = 0;
    for (const { id, cursor } of entries) {
      highest = Math.max(highest, cursor);
      if (id !== undefined && !cursors.has(id)) cursors.set(id, cursor);
    }
    const isEnded = text === "" || text.endsWith("\n");
    return this.#keep(scope, { cursors, highest, mark: before, isEnded });
  }

  #keep(scope: MemoryScope, known: Kept): Kept {
    this.#kept.delete(scope.folder);
    this.#kept.set(scope.folder, known);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KNOWN_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return known;
  }
}

function isSame(one: FileMark | null, other: FileMark | null): boolean {
  return one?.size === other?.size && one?.state === other?.state;
}
