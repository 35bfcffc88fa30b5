/**
 * Opening the very file that was judged: a link that somebody puts there between the look and the
 * grasp gains nothing.
 * @module
 */

/** Opened and looked at once more. */
export interface OpenedFile extends Disposable {
  readonly size: number;
  /** Names of the same file; more than one where it is hard-linked. */
  readonly linkCount: number;
  /** Names the file on this machine, whatever it is called. */
  readonly identity: string;
  /** At most `bytesMax` bytes from the start. */
  read(bytesMax: number): Promise<Uint8Array<ArrayBuffer>>;
}

const CHUNK_BYTES = 1 << 20;

/**
 * Opens the regular file at `resolved`, a path without symlinks; whoever calls has seen that no
 * pipe or device stands there, which would make this wait.
 *
 * @returns undefined where what was opened is not what stands there
 */
export async function openJudged(resolved: string): Promise<OpenedFile | undefined> {
  using opening = new DisposableStack();
  const file = opening.use(await Deno.open(resolved));
  const opened = await file.stat();
  // A part of the path may have become a link meanwhile; then the file is another one.
  const isSamePath = await Deno.realPath(resolved) === resolved;
  const there = await Deno.lstat(resolved);
  const isSame = isSamePath && there.isFile && identityOf(there) === identityOf(opened);
  if (!isSame) return undefined;
  const owned = opening.move();
  return {
    size: opened.size,
    linkCount: opened.nlink ?? 1,
    identity: identityOf(opened),
    read: (bytesMax) => readUpTo(file, bytesMax),
    [Symbol.dispose]: () => owned.dispose(),
  };
}

/** What makes two names one file. */
export function identityOf(
  { dev, ino }: { readonly dev: number; readonly ino: number | null },
): string {
  return `${dev}:${ino}`;
}

/** In pieces, as a file may grow, or say that it is empty and be endless. */
async function readUpTo(file: Deno.FsFile, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const { size } = await file.stat();
  // One byte more than it says shows that it has ended.
  let buffer = new Uint8Array(Math.min(size + 1, bytesMax));
  let length = 0;
  while (length < bytesMax) {
    if (length === buffer.length) buffer = grown(buffer, Math.min(length + CHUNK_BYTES, bytesMax));
    const count = await file.read(buffer.subarray(length));
    if (count === null) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

function grown(buffer: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size);
  larger.set(buffer);
  return larger;
}
