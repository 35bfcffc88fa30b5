/**
 * The files that recall reads, below the workspace. All of it is synchronous: it runs in a thread
 * of its own, a little at a time.
 * @module
 */

import { join } from "node:path";

/** A file as it stands. */
export interface FileFacts {
  /** In bytes. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly modifiedMs: number;
}

/** Names of errors of one file or folder that say nothing about the others. */
const NOT_THERE: ReadonlySet<string> = new Set([
  "NotFound",
  "PermissionDenied",
  "NotCapable",
  "NotADirectory",
  "IsADirectory",
  "FilesystemLoop",
]);

/**
 * Reads files below a folder. What is missing or cannot be read by anybody here is null or empty;
 * other errors are Deno's own.
 */
export class RecallFiles {
  readonly #workspace: string;

  /** @param workspace absolute */
  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  /** Size and time; null where there is no such file. */
  facts(path: string): FileFacts | null {
    const info = orNull(() => Deno.statSync(join(this.#workspace, path)));
    if (info === null || !info.isFile) return null;
    return { size: info.size, modifiedMs: info.mtime?.getTime() ?? 0 };
  }

  /** Names in a folder, of files or of folders. */
  names(path: string, kind: "files" | "folders"): string[] {
    return orNull(() =>
      [...Deno.readDirSync(join(this.#workspace, path))]
        .filter((entry) => kind === "files" ? !entry.isDirectory : entry.isDirectory)
        .map(({ name }) => name)
    ) ?? [];
  }

  /** Bytes from `start`, `bytesMax` at most; null where there is no such file. */
  read(path: string, start: number, bytesMax: number): Uint8Array | null {
    return orNull(() => {
      using file = Deno.openSync(join(this.#workspace, path));
      file.seekSync(start, Deno.SeekMode.Start);
      const bytes = new Uint8Array(bytesMax);
      let end = 0;
      while (end < bytes.length) {
        const count = file.readSync(bytes.subarray(end));
        if (count === null) break;
        end += count;
      }
      return bytes.subarray(0, end);
    });
  }
}

function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && NOT_THERE.has(error.name)) return null;
    throw error;
  }
}
