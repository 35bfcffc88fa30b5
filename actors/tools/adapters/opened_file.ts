/**
 * Opening the very file that was judged: a link that somebody puts there between the look and the
 * grasp gains nothing, and a pipe or device does not make anybody wait.
 * @module
 */

import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Opened and looked at once more. */
export interface OpenedFile extends AsyncDisposable {
  readonly size: number;
  /** Names of the same file; more than one where it is hard-linked. */
  readonly linkCount: number;
  /** Names the file on this machine, whatever it is called. */
  readonly identity: string;
  /** At most `bytesMax` bytes from the start. */
  read(bytesMax: number): Promise<Uint8Array>;
}

const CHUNK_BYTES = 1 << 20;

/**
 * Opens the regular file at `resolved`, a path without symlinks.
 *
 * @returns undefined where what was opened is not what stands there, or is no regular file
 */
export async function openJudged(resolved: string): Promise<OpenedFile | undefined> {
  await using opening = new AsyncDisposableStack();
  // Neither a link in the last place nor a pipe without a writer holds us up.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const handle = await open(resolved, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  opening.defer(() => handle.close());
  const opened = await handle.stat();
  // A folder on the way may have become a link meanwhile; then the file is another one.
  const isSamePath = await Deno.realPath(resolved) === resolved;
  const there = await Deno.lstat(resolved);
  const isSame = isSamePath && there.isFile && opened.isFile() && there.ino === opened.ino &&
    there.dev === opened.dev;
  if (!isSame) return undefined;
  const owned = opening.move();
  return {
    size: opened.size,
    linkCount: opened.nlink,
    identity: identityOf(opened),
    read: (bytesMax) => readUpTo(handle, bytesMax),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What makes two names one file. */
export function identityOf(
  { dev, ino }: { readonly dev: number; readonly ino: number | null },
): string {
  return `${dev}:${ino}`;
}

/** In pieces, as a file may grow, or say that it is empty and be endless. */
async function readUpTo(handle: FileHandle, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  while (size < bytesMax) {
    const part = new Uint8Array(Math.min(CHUNK_BYTES, bytesMax - size));
    const { bytesRead } = await handle.read(part, 0, part.length, size);
    if (bytesRead === 0) break;
    parts.push(part.subarray(0, bytesRead));
    size += bytesRead;
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}
