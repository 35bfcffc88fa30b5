/**
 * Text files in one folder, written so that neither a full disk nor a power cut leaves half of
 * something.
 * @module
 */

import { dirname, join } from "node:path";
import { orNull, removeIfThere } from "./missing.ts";
import { writeAll, writeAllSync } from "./write_all.ts";

/** Only for the owner: conversations and what is remembered of them are private. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const LINE_END = 0x0a;
/** Read at once: a fraction of a millisecond. */
const CHUNK_BYTES = 256 * 1024;

/** Files below `folder`, which is made with the first of them. Errors are Deno's own. */
export class DiskTextFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whole content, or null where there is no such file. */
  async read(name: string): Promise<string | null> {
    return await orNull(readAll(join(this.#folder, name)));
  }

  /**
   * Appends whole lines and syncs; cuts the file back to its former end when that fails half-way. A
   * last line that an editor left without its end gets one first.
   */
  async append(name: string, text: string): Promise<void> {
    using file = openToAppend(this.#folder, name);
    const end = endOf(file);
    try {
      const isOpen = !text.startsWith("\n") && !isLineEnded(file, end);
      writeAllSync(file, new TextEncoder().encode(isOpen ? `\n${text}` : text));
      await file.syncData();
    } catch (error) {
      await cutBack(file, end);
      throw error;
    }
    // A new file is durable only with the folder's entry for it.
    if (end === 0) await syncFolder(dirname(join(this.#folder, name)));
  }

  /** Replaces whole and atomically (temp, sync, rename). */
  async replace(name: string, text: string): Promise<void> {
    await this.replaceIf(name, text, () => true);
  }

  /**
   * Replaces a file unless `isWanted` says no, which is asked right before the new one gets the
   * name.
   *
   * @returns whether it did
   */
  async replaceIf(
    name: string,
    text: string,
    isWanted: () => boolean | Promise<boolean>,
  ): Promise<boolean> {
    const path = join(this.#folder, name);
    const temporary = `${path}.${crypto.randomUUID()}.tmp`;
    try {
      {
        const create = { write: true, createNew: true, mode: FILE_MODE };
        using file = await this.#open(`${name}${temporary.slice(path.length)}`, create);
        await writeAll(file, new TextEncoder().encode(text));
        await file.sync();
      }
      if (!await isWanted()) {
        await removeIfThere(temporary);
        return false;
      }
      await Deno.rename(temporary, path);
    } catch (error) {
      await removeIfThere(temporary);
      throw error;
    }
    await syncFolder(dirname(path));
    return true;
  }

  /** Removes a file; nothing happens where there is none. */
  async remove(name: string): Promise<void> {
    await removeIfThere(join(this.#folder, name));
  }

  async #open(name: string, options: Deno.OpenOptions): Promise<Deno.FsFile> {
    const path = join(this.#folder, name);
    try {
      return await Deno.open(path, options);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      await Deno.mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      return await Deno.open(path, options);
    }
  }
}

/** The whole text; others go on while a long one is read. Bytes that are no UTF-8 are replaced. */
async function readAll(path: string): Promise<string> {
  using file = await Deno.open(path);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const chunk = new Uint8Array(CHUNK_BYTES);
  let text = "";
  for (;;) {
    const count = await file.read(chunk);
    if (count === null) return text + decoder.decode();
    text += decoder.decode(chunk.subarray(0, count), { stream: true });
  }
}

async function syncFolder(path: string): Promise<void> {
  if (Deno.build.os === "windows") return; // folders cannot be opened there
  using folder = await Deno.open(path, { read: true });
  await folder.sync();
}

// Appending is on every turn's way. Opening and writing reach the page cache within microseconds,
// where each way by a thread takes 50; only the sync has to wait for the disk.

function openToAppend(folder: string, name: string): Deno.FsFile {
  const path = join(folder, name);
  const options = { read: true, write: true, create: true, mode: FILE_MODE };
  try {
    return Deno.openSync(path, options);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    Deno.mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
    return Deno.openSync(path, options);
  }
}

/** Moves to the end, and says where that is. */
function endOf(file: Deno.FsFile): number {
  return file.seekSync(0, Deno.SeekMode.End);
}

/** Whether a line may begin at `end`, where the file is then. */
function isLineEnded(file: Deno.FsFile, end: number): boolean {
  if (end === 0) return true;
  const last = new Uint8Array(1);
  file.seekSync(-1, Deno.SeekMode.End);
  file.readSync(last);
  return last[0] === LINE_END;
}

/** Best effort: a line that stays cut is moved aside at the next load. */
async function cutBack(file: Deno.FsFile, end: number): Promise<void> {
  try {
    await file.truncate(end);
    await file.syncData();
  } catch {
    // The first failure is the one to tell.
  }
}
