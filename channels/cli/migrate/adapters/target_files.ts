/**
 * The folder that files are carried to: each comes whole or not at all, and none is written over.
 * @module
 */

import { dirname, join } from "node:path";
import { exists, orNull, removeIfThere } from "../../../../actors/kernel/adapters/missing.ts";
import { writeAll } from "../../../../actors/kernel/adapters/write_all.ts";

const CHUNK_BYTES = 256 * 1024;

/** What stands where a file is to go. */
export type TargetState = "free" | "same" | "taken";

/** A file as it comes. */
export interface Incoming {
  readonly content: () => AsyncIterable<string>;
  /** A file with this text counts as none. */
  readonly vacant?: string | undefined;
}

/** Files below a folder, which is made with the first of them. */
export class TargetFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** A file's text; null where there is none. */
  async text(path: string): Promise<string | null> {
    return await orNull(Deno.readTextFile(join(this.folder, path)));
  }

  /** Whether anything stands there. */
  async has(path: string): Promise<boolean> {
    return await exists(join(this.folder, path));
  }

  /** Whether a file has just this content. */
  async holds(path: string, bytes: Uint8Array): Promise<boolean> {
    const place = join(this.folder, path);
    const info = await orNull(Deno.stat(place));
    if (info === null || !info.isFile || info.size !== bytes.length) return false;
    const own = await Deno.readFile(place);
    return own.every((byte, index) => byte === bytes[index]);
  }

  /** What stands there; a file that went on growing since it was carried is the same. */
  async look(path: string, { content, vacant }: Incoming): Promise<TargetState> {
    const place = join(this.folder, path);
    const info = await orNull(Deno.stat(place));
    if (info === null) return await exists(place) ? "taken" : "free";
    if (!info.isFile) return "taken";
    if (info.size === 0) return "free";
    if (await beginsWith(place, content())) return "same";
    const isVacant = vacant !== undefined && info.size <= 4 * vacant.length &&
      (await Deno.readTextFile(place)).trim() === vacant.trim();
    return isVacant ? "free" : "taken";
  }

  /** Writes a file whole, for its owner only. */
  async place(
    path: string,
    content: AsyncIterable<string>,
    modifiedAtMs: number | null,
  ): Promise<void> {
    const place = join(this.folder, path);
    await Deno.mkdir(dirname(place), { recursive: true, mode: 0o700 });
    const temporary = join(dirname(place), `.${crypto.randomUUID()}.tmp`);
    try {
      {
        using file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
        const encoder = new TextEncoder();
        for await (const piece of content) await writeAll(file, encoder.encode(piece));
        await file.sync();
      }
      if (modifiedAtMs !== null) {
        await Deno.utime(temporary, modifiedAtMs / 1_000, modifiedAtMs / 1_000);
      }
      await Deno.rename(temporary, place);
    } catch (error) {
      await removeIfThere(temporary);
      throw error;
    }
  }
}

/** Whether a file begins with a text. */
async function beginsWith(place: string, content: AsyncIterable<string>): Promise<boolean> {
  using file = await Deno.open(place);
  const buffer = new Uint8Array(CHUNK_BYTES);
  for await (const piece of content) {
    const expected = new TextEncoder().encode(piece);
    for (let at = 0; at < expected.length;) {
      const part = buffer.subarray(0, Math.min(CHUNK_BYTES, expected.length - at));
      const count = await file.read(part);
      if (count === null) return false;
      for (let index = 0; index < count; index++) {
        if (part[index] !== expected[at + index]) return false;
      }
      at += count;
    }
  }
  return true;
}

/** An absolute path without links, as far as it exists. */
export async function realPlace(path: string): Promise<string> {
  const real = await orNull(Deno.realPath(path));
  if (real !== null) return real;
  const parent = dirname(path);
  if (parent === path) return path;
  return join(await realPlace(parent), path.slice(parent.length));
}
