/**
 * The sessions' files as a person looks through them: their names and dates, and how they begin.
 * @module
 */

import { join } from "node:path";
import type { SessionShelf, ShelfFile } from "../session_catalog.ts";

/** Files of a folder. It works at once, for a process that does nothing else meanwhile. */
export class DiskSessionShelf implements SessionShelf {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  files(): ShelfFile[] {
    const files: ShelfFile[] = [];
    for (const { name } of this.#entries()) {
      if (!name.endsWith(".jsonl")) continue;
      const info = orNull(() => Deno.statSync(join(this.#folder, name)));
      if (info === null || !info.isFile) continue;
      files.push({ name, modifiedAtMs: info.mtime?.getTime() ?? 0, bytes: info.size });
    }
    return files;
  }

  head(name: string, bytesMax: number): string {
    return orNull(() => {
      using file = Deno.openSync(join(this.#folder, name));
      const bytes = new Uint8Array(bytesMax);
      return new TextDecoder().decode(bytes.subarray(0, file.readSync(bytes) ?? 0));
    }) ?? "";
  }

  read(name: string): string | null {
    return orNull(() => Deno.readTextFileSync(join(this.#folder, name)));
  }

  #entries(): Iterable<Deno.DirEntry> {
    return orNull(() => [...Deno.readDirSync(this.#folder)]) ?? [];
  }
}

/** What is gone meanwhile was not there. */
function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
