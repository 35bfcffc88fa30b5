/**
 * The files that recall reads, below the workspace. All of it is synchronous: it runs in a thread
 * of its own, a little at a time.
 * @module
 */

import { isAbsolute, join, relative, sep } from "node:path";

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
 * Reads files below a folder. What is missing, cannot be read by anybody here, or is a link that
 * leads out of the folder is null or empty; other errors are Deno's own.
 */
export class RecallFiles {
  readonly #workspace: string;
  #realWorkspace: string | undefined;

  /** @param workspace absolute */
  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  /** Size and time; null where there is no such file. */
  facts(path: string): FileFacts | null {
    const info = orNull(() => Deno.statSync(this.#inside(path)));
    if (info === null || !info.isFile) return null;
    return { size: info.size, modifiedMs: info.mtime?.getTime() ?? 0 };
  }

  /** Names in a folder, of files or of folders. */
  names(path: string, kind: "files" | "folders"): string[] {
    return orNull(() =>
      [...Deno.readDirSync(this.#inside(path))]
        .filter((entry) => kind === "files" ? !entry.isDirectory : entry.isDirectory)
        .map(({ name }) => name)
    ) ?? [];
  }

  /** Bytes from `start`, `bytesMax` at most; null where there is no such file. */
  read(path: string, start: number, bytesMax: number): Uint8Array | null {
    return orNull(() => {
      using file = Deno.openSync(this.#inside(path));
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

  /** Where a path leads: who may write links here must not choose what else is read. */
  #inside(path: string): string {
    const real = Deno.realPathSync(join(this.#workspace, path));
    const way = relative(this.#realWorkspace ??= Deno.realPathSync(this.#workspace), real);
    const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
    if (isOutside) throw new Deno.errors.NotFound(`"${path}" leads out of the workspace`);
    return real;
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
