/**
 * The sessions' files by when they were written, on disk.
 * @module
 */

import { join } from "node:path";
import { orNull } from "../../kernel/adapters/missing.ts";
import type { DatedFile } from "../idle_compaction.ts";

const EXTENSION = ".jsonl";

/** The sessions' files of a folder; none where it is missing. One that goes meanwhile is left out. */
export async function* listSessionFiles(
  folder: string,
): AsyncGenerator<DatedFile, void, void> {
  for await (const { name, isFile } of entriesOf(folder)) {
    if (!isFile || !name.endsWith(EXTENSION)) continue;
    const info = await orNull(Deno.stat(join(folder, name)));
    if (info !== null) yield { name, modifiedAtMs: info.mtime?.getTime() ?? 0 };
  }
}

async function* entriesOf(folder: string): AsyncGenerator<Deno.DirEntry, void, void> {
  try {
    yield* Deno.readDir(folder);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
