/**
 * The sessions' files as a person looks through them: their names and dates, and how they begin.
 * @module
 */

import { join } from "node:path";
import { orNullSync } from "../../kernel/adapters/missing.ts";
import { writeAllSync } from "../../kernel/adapters/write_all.ts";
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
      const info = orNullSync(() => Deno.statSync(join(this.#folder, name)));
      if (info === null || !info.isFile) continue;
      files.push({ name, modifiedAtMs: info.mtime?.getTime() ?? 0, bytes: info.size });
    }
    return files;
  }

  head(name: string, bytesMax: number): string {
    return orNullSync(() => {
      using file = Deno.openSync(join(this.#folder, name));
      const bytes = new Uint8Array(bytesMax);
      return new TextDecoder().decode(bytes.subarray(0, file.readSync(bytes) ?? 0));
    }) ?? "";
  }

  read(name: string): string | null {
    return orNullSync(() => Deno.readTextFileSync(join(this.#folder, name)));
  }

  /** Makes a file; false where there is one of that name. */
  create(name: string, text: string): boolean {
    Deno.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    try {
      const options = { write: true, createNew: true, mode: 0o600 };
      using file = Deno.openSync(join(this.#folder, name), options);
      writeAllSync(file, new TextEncoder().encode(text));
      file.syncSync();
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) return false;
      throw error;
    }
  }

  #entries(): Iterable<Deno.DirEntry> {
    return orNullSync(() => [...Deno.readDirSync(this.#folder)]) ?? [];
  }
}
