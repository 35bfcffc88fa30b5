/**
 * Unpacks a backup into an empty folder, and checks that it is whole.
 * @module
 */

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { z } from "zod";
import { writeAll } from "../../../../actors/kernel/adapters/write_all.ts";
import { asError } from "../../../../actors/kernel/errors.ts";
import {
  ABOUT_ENTRY,
  type AboutBackup,
  aboutSchema,
  BACKUP_VERSION,
  BackupError,
  checkEntryName,
  SUMS_ENTRY,
  sumsSchema,
} from "../archive_format.ts";
import { BytesAhead } from "../bytes_ahead.ts";

/** The first bytes of what gzip made. */
const GZIP_MAGIC = [0x1f, 0x8b];
/** What is read of an archive before it is used. */
const AHEAD_BYTES_MAX = 16 * 1024 * 1024;
/** Headers and padding of an entry, at most: rather too much, so that reading never stands still. */
const ENTRY_BYTES_MAX = 8 * 1024;
/** Entries that are read into memory. */
const TEXT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Unpacks `path` into `folder`, which is there and empty.
 *
 * @throws {BackupError} when it is no backup, not whole, damaged, or of a newer program
 */
export async function unpackBackup(path: string, folder: string): Promise<AboutBackup> {
  try {
    return await unpack(path, folder);
  } catch (error) {
    if (error instanceof BackupError || error instanceof Deno.errors.NotFound) throw error;
    const why = asError(error).message;
    throw new BackupError(`Cannot restore "${path}": it cannot be read as a backup (${why})`, {
      cause: error,
    });
  }
}

async function unpack(path: string, folder: string): Promise<AboutBackup> {
  const reading = new AbortController();
  try {
    return await unpackEntries(path, folder, await openEntries(path, reading.signal));
  } finally {
    reading.abort(); // of one that is refused, nothing more is read
  }
}

/** The entries of an archive; it is read no faster than they are. */
interface Entries {
  readonly stream: ReadableStream<ParsedTarEntry>;
  /** Tells how many bytes of the archive were used. */
  readonly took: (bytes: number) => void;
}

async function openEntries(path: string, signal: AbortSignal): Promise<Entries> {
  const isCompressed = await startsWith(path, GZIP_MAGIC);
  const file = await Deno.open(path);
  const bytes = isCompressed
    ? file.readable.pipeThrough(new DecompressionStream("gzip"), { signal })
    : file.readable;
  const ahead = new BytesAhead(AHEAD_BYTES_MAX);
  // The decoder takes whatever it is given.
  const paced = new TransformStream<Uint8Array, Uint8Array>({
    transform: async (chunk, controller) => {
      controller.enqueue(chunk);
      await ahead.gave(chunk.length, signal);
    },
  });
  const stream = bytes.pipeThrough(paced, { signal })
    .pipeThrough(createTarDecoder({ strict: true }), { signal });
  return { stream, took: (bytes) => ahead.took(bytes) };
}

async function unpackEntries(
  path: string,
  folder: string,
  { stream, took }: Entries,
): Promise<AboutBackup> {
  const found = new Map<string, string>();
  const links: { readonly name: string; readonly target: string }[] = [];
  let about: AboutBackup | undefined;
  let sums: Readonly<Record<string, string>> | undefined;
  for await (const { header, body } of stream) {
    const { name } = header;
    took(ENTRY_BYTES_MAX);
    const content = told(body, took);
    if (sums !== undefined) throw damaged(path, "something follows its end");
    if (name === SUMS_ENTRY) sums = sumsSchema.parse(JSON.parse(await textOf(content)));
    else if (name === ABOUT_ENTRY) {
      const text = await textOf(content);
      about = checkedAbout(path, JSON.parse(text));
      found.set(name, createHash("sha256").update(text).digest("hex"));
    } else if (about === undefined) throw damaged(path, "it does not begin as one");
    else {
      checkEntryName(name);
      if (found.has(name)) throw damaged(path, `"${name}" stands in it twice`);
      if (header.type === "symlink") {
        const target = header.linkname ?? "";
        links.push({ name, target });
        found.set(name, createHash("sha256").update(target).digest("hex"));
      } else if ((header.type ?? "file") === "file") {
        found.set(name, await writeFile(join(folder, name), content, header));
      } else throw damaged(path, `"${name}" is neither a file nor a link`);
    }
  }
  if (about === undefined || sums === undefined) throw damaged(path, "it is not whole");
  compareSums(path, sums, found);
  // After all files, so that none is written through a link.
  for (const { name, target } of links) {
    await Deno.mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
    await Deno.symlink(target, join(folder, name));
  }
  return about;
}

function checkedAbout(path: string, value: unknown): AboutBackup {
  const version = z.looseObject({ version: z.int() }).safeParse(value).data?.version ?? 0;
  if (version > BACKUP_VERSION) {
    throw new BackupError(`Cannot restore "${path}": a newer program made it; use that one`);
  }
  return aboutSchema.parse(value);
}

function compareSums(
  path: string,
  sums: Readonly<Record<string, string>>,
  found: ReadonlyMap<string, string>,
): void {
  for (const [name, sum] of Object.entries(sums)) {
    if (found.get(name) !== sum) throw damaged(path, `"${name}" is missing or was changed`);
  }
  const unknown = [...found.keys()].find((name) => !Object.hasOwn(sums, name));
  if (unknown !== undefined) throw damaged(path, `"${unknown}" was put in later`);
}

async function writeFile(
  path: string,
  body: AsyncIterable<Uint8Array>,
  { mode = 0o600, mtime }: { readonly mode?: number; readonly mtime?: Date },
): Promise<string> {
  await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  {
    using file = await Deno.open(path, { write: true, createNew: true, mode: mode & 0o700 });
    for await (const chunk of body) {
      hash.update(chunk);
      await writeAll(file, chunk);
    }
    await file.syncData();
  }
  if (mtime !== undefined) await Deno.utime(path, mtime, mtime);
  return hash.digest("hex");
}

async function* told(
  body: ReadableStream<Uint8Array>,
  took: Entries["took"],
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of body) {
    took(chunk.length);
    yield chunk;
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > TEXT_BYTES_MAX) throw new BackupError("Cannot restore: it is no backup");
  }
  return text + decoder.decode();
}

async function startsWith(path: string, magic: readonly number[]): Promise<boolean> {
  using file = await Deno.open(path);
  const start = new Uint8Array(magic.length);
  await file.read(start);
  return magic.every((byte, index) => start[index] === byte);
}

function damaged(path: string, why: string): BackupError {
  return new BackupError(`Cannot restore "${path}": ${why}; nothing was changed`);
}
