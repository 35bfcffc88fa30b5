/**
 * The memory's files on disk, below the workspace, where people edit them as well.
 * @module
 */

import { join, relative } from "node:path";
import { orNull, removeIfThere } from "../../kernel/adapters/missing.ts";
import { DiskTextFiles } from "../../kernel/adapters/text_files.ts";
import type { FileMark, MemoryFiles } from "../ports.ts";
import { isFactsPath } from "../scope.ts";

/** Bytes at a file's end that are compared: the last entry's number and id. */
const MARK_TAIL_BYTES = 256;

/** Files below `workspace`. A file that is a link stays one: what it leads to is written. */
export class DiskMemoryFiles implements MemoryFiles {
  readonly #workspace: string;
  readonly #files: DiskTextFiles;

  /** @param workspace absolute and real */
  constructor(workspace: string) {
    this.#workspace = workspace;
    this.#files = new DiskTextFiles(workspace);
  }

  async read(path: string): Promise<string | null> {
    const absolute = join(this.#workspace, path);
    const info = await orNull(Deno.stat(absolute));
    if (info === null) return null;
    // Opening a pipe would wait for ever.
    if (!info.isFile) throw new TypeError(`"${path}" is no file; move it away`);
    if (!isFactsPath(path)) return await this.#files.read(path);
    const bytes = await orNull(Deno.readFile(absolute));
    return bytes && textOf(path, bytes);
  }

  async append(path: string, text: string): Promise<void> {
    await this.#files.append(path, text);
  }

  async replace(path: string, text: string): Promise<void> {
    await this.#files.replace(await this.#target(path), text);
  }

  async swap(path: string, expected: string | null, text: string): Promise<boolean> {
    const isAsExpected = async () => await this.read(path) === expected;
    return await this.#files.replaceIf(await this.#target(path), text, isAsExpected);
  }

  async remove(path: string): Promise<void> {
    await removeIfThere(join(this.#workspace, path));
  }

  async rename(from: string, to: string): Promise<void> {
    await Deno.rename(join(this.#workspace, from), join(this.#workspace, to));
  }

  async folders(path: string): Promise<readonly string[]> {
    const names: string[] = [];
    try {
      for await (const { name, isDirectory } of Deno.readDir(join(this.#workspace, path))) {
        if (isDirectory) names.push(name);
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return names.sort();
  }

  async modifiedAtMs(path: string): Promise<number | null> {
    const info = await orNull(Deno.stat(join(this.#workspace, path)));
    return info?.mtime?.getTime() ?? null;
  }

  async mark(path: string): Promise<FileMark | null> {
    const absolute = join(this.#workspace, path);
    const info = await orNull(Deno.stat(absolute));
    if (info === null) return null;
    if (!info.isFile) return { size: 0, state: "no file" }; // reading it says so
    using opened = await Deno.open(absolute);
    const { size, mtime, ctime, ino } = await opened.stat();
    const tail = new Uint8Array(MARK_TAIL_BYTES);
    await opened.seek(Math.max(0, size - MARK_TAIL_BYTES), Deno.SeekMode.Start);
    const count = await opened.read(tail) ?? 0;
    const times = `${mtime?.getTime()}:${ctime?.getTime()}`;
    return { size, state: `${ino}:${times}:${tail.subarray(0, count).toBase64()}` };
  }

  /** Where a link leads, as seen from the workspace; `path` itself where there is none. */
  async #target(path: string): Promise<string> {
    const absolute = join(this.#workspace, path);
    const real = await orNull(Deno.realPath(absolute));
    if (real !== null) return relative(this.#workspace, real);
    // A disk that is not mounted, perhaps: a file in its place would hide what is there.
    if ((await orNull(Deno.lstat(absolute)))?.isSymlink) {
      throw new TypeError(`"${path}" is a link that leads nowhere; mend it, or remove it`);
    }
    return path;
  }
}

/** Such a file would lose what cannot be read when it is written again. */
function textOf(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new TypeError(`"${path}" is no UTF-8 text; save it as UTF-8`, { cause });
  }
}
