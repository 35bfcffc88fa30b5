/**
 * What a person typed before, kept for the arrow keys; for its owner's eyes only.
 * @module
 */

import { dirname } from "node:path";

/** Entries offered to the arrow keys. */
const ENTRIES_MAX = 1_000;
/** The file is cut back to the entries above when it is found longer than this. */
const ENTRIES_IN_FILE_MAX = 2_000;

/** A history; one entry a line, shared by all terminals of a person. */
export class HistoryFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Entries, newest first; none when the file cannot be read. */
  async load(): Promise<string[]> {
    try {
      const entries = (await Deno.readTextFile(this.#path)).split("\n").filter(Boolean);
      const recent = entries.slice(-ENTRIES_MAX);
      if (entries.length > ENTRIES_IN_FILE_MAX) await this.#replace(recent);
      return recent.toReversed();
    } catch {
      return [];
    }
  }

  /** Adds an entry. A history that cannot be written is no reason to stop talking. */
  async append(entry: string): Promise<void> {
    try {
      await Deno.mkdir(dirname(this.#path), { recursive: true });
      const line = `${entry.toWellFormed()}\n`;
      await Deno.writeTextFile(this.#path, line, { append: true, mode: 0o600 });
    } catch {
      // Nothing is lost but comfort.
    }
  }

  async #replace(entries: readonly string[]): Promise<void> {
    const temporary = `${this.#path}.${Deno.pid}.tmp`;
    await Deno.writeTextFile(temporary, `${entries.join("\n")}\n`, { mode: 0o600 });
    await Deno.rename(temporary, this.#path);
  }
}
