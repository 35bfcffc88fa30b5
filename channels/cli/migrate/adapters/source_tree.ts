/**
 * A folder that is read and never written: no links are followed, nothing but plain files is
 * opened, and sizes have bounds.
 * @module
 */

import { join } from "node:path";
import { orNull } from "../../../../actors/kernel/adapters/missing.ts";
import { asError } from "../../../../actors/kernel/errors.ts";
import { SourceFileError } from "../plan.ts";

/** Entries of one folder that are looked at. */
const ENTRIES_MAX = 20_000;
/** A longer line is no message. */
const LINE_CHARS_MAX = 16 * 1024 ** 2;
const CHUNK_BYTES = 256 * 1024;

/** An entry of a folder. */
export interface SourceEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
}

/** A folder of another assistant. */
export class SourceTree {
  /** Absolute, without links. */
  readonly root: string;

  /** The folder at a path, which may be a link itself; null where there is none. */
  static async open(path: string): Promise<SourceTree | null> {
    const real = await orNull(Deno.realPath(path));
    if (real === null || !(await Deno.stat(real)).isDirectory) return null;
    return new SourceTree(real);
  }

  private constructor(root: string) {
    this.root = root;
  }

  /** The place of a path in this folder, for reports. */
  placeOf(path: string): string {
    return join(this.root, path);
  }

  /** What a folder holds, by name; nothing where there is none. */
  async list(folder: string): Promise<readonly SourceEntry[]> {
    const path = join(this.root, folder);
    if (await this.#kindOf(folder) !== "folder") return [];
    const entries: SourceEntry[] = [];
    for await (const { name, isFile, isDirectory } of Deno.readDir(path)) {
      entries.push({ name, kind: isFile ? "file" : isDirectory ? "folder" : "other" });
      if (entries.length >= ENTRIES_MAX) break;
    }
    return entries.toSorted((one, other) => one.name < other.name ? -1 : 1);
  }

  /** Whether anything stands there. */
  async has(path: string): Promise<boolean> {
    return await this.#kindOf(path) !== "none";
  }

  /**
   * A small file's text; null where there is none.
   *
   * @throws {SourceFileError} when it is a link, no file, too large, or no text
   */
  async text(path: string, bytesMax: number): Promise<string | null> {
    if (await this.#kindOf(path) === "none") return null;
    const { size } = await this.#plainFile(path);
    if (size > bytesMax) {
      throw new SourceFileError(`it has ${size} bytes; at most ${bytesMax} are read`);
    }
    try {
      const bytes = await Deno.readFile(join(this.root, path));
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (error) {
      throw unreadable(error);
    }
  }

  /**
   * When a file was last written, in epoch milliseconds.
   *
   * @throws {SourceFileError} when it is a link or no file
   */
  async modifiedAtMs(path: string): Promise<number | null> {
    return (await this.#plainFile(path)).mtime?.getTime() ?? null;
  }

  /**
   * The lines of a file, however long it is, that are not blank; null stands for one that is too
   * long to be read.
   *
   * @throws {SourceFileError} when it is a link, no file, or cannot be read
   */
  async *lines(path: string): AsyncGenerator<string | null> {
    await this.#plainFile(path);
    let rest = "";
    let isTooLong = false;
    for await (const chunk of this.#chunks(path)) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (isTooLong || line.length > LINE_CHARS_MAX) yield null;
        else if (line.trim() !== "") yield line;
        isTooLong = false;
      }
      if (rest.length > LINE_CHARS_MAX) {
        isTooLong = true;
        rest = "";
      }
    }
    if (isTooLong) yield null;
    else if (rest.trim() !== "") yield rest;
  }

  async *#chunks(path: string): AsyncGenerator<string> {
    try {
      using file = await Deno.open(join(this.root, path));
      const decoder = new TextDecoder();
      const chunk = new Uint8Array(CHUNK_BYTES);
      for (;;) {
        const count = await file.read(chunk);
        if (count === null) break;
        yield decoder.decode(chunk.subarray(0, count), { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      throw unreadable(error);
    }
  }

  async #plainFile(path: string): Promise<Deno.FileInfo> {
    if (await this.#kindOf(path) !== "file") {
      throw new SourceFileError("it is a link, leads through one, or is no file");
    }
    return await Deno.lstat(join(this.root, path));
  }

  /** `other` also for what a link leads to. */
  async #kindOf(path: string): Promise<"none" | "file" | "folder" | "other"> {
    const place = join(this.root, path);
    try {
      const info = await orNull(Deno.lstat(place));
      if (info === null) return "none";
      if (await Deno.realPath(place) !== place) return "other";
      return info.isFile ? "file" : info.isDirectory ? "folder" : "other";
    } catch {
      return "other"; // a loop of links, a folder that may not be entered, a name no system takes
    }
  }
}

function unreadable(thrown: unknown): SourceFileError {
  const { message } = asError(thrown);
  const isNoText = thrown instanceof TypeError;
  return new SourceFileError(
    isNoText ? "it is not UTF-8" : `it cannot be read (${message.replace(/: \w+ '.*'$/, "")})`,
    { cause: thrown },
  );
}
