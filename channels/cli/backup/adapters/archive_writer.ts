/**
 * Writes a backup: under another name until it is whole, for its owner only.
 * @module
 */

import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { createTarPacker, type TarHeader } from "modern-tar";
import { exists, orNull, removeIfThere } from "../../../../actors/kernel/adapters/missing.ts";
import { writeAll } from "../../../../actors/kernel/adapters/write_all.ts";
import { BackupError, SUMS_ENTRY } from "../archive_format.ts";
import { BytesAhead } from "../bytes_ahead.ts";

const CHUNK_BYTES = 256 * 1024;
/** What waits for the disk at most. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

/** Gets entries, then is finished; disposing of one that is not leaves nothing behind. */
export class ArchiveWriter implements AsyncDisposable {
  readonly #path: string;
  readonly #partial: string;
  readonly #packer = createTarPacker();
  readonly #file: Deno.FsFile;
  readonly #writing: Promise<void>;
  readonly #sums: Record<string, string> = {};
  readonly #ahead = new BytesAhead(WAITING_BYTES_MAX);
  readonly #failing = new AbortController();
  #isOver = false;

  /**
   * Begins a backup at `path`; it is compressed if the name ends with .gz or .tgz.
   *
   * @throws {BackupError} when something has that name, or no file can be made there
   */
  static async begin(path: string): Promise<ArchiveWriter> {
    if (await exists(path)) throw taken(path);
    const partial = `${path}.partial`;
    await removeIfThere(partial); // of a backup that was cut short
    const options = { write: true, createNew: true, mode: 0o600 };
    const file = await Deno.open(partial, options).catch((cause: Error) => {
      const what = `Cannot write "${path}": ${cause.message.replace(/ \(.*$/, "")}`;
      throw new BackupError(`${what}; name a folder that is there and can be written`, { cause });
    });
    return new ArchiveWriter(path, partial, file);
  }

  private constructor(path: string, partial: string, file: Deno.FsFile) {
    this.#path = path;
    this.#partial = partial;
    this.#file = file;
    const packed = this.#packer.readable.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
        transform: (chunk, controller) => {
          this.#ahead.took(chunk.length);
          controller.enqueue(new Uint8Array(chunk));
        },
      }),
    );
    const isCompressed = /\.(gz|tgz)$/.test(path);
    const bytes = isCompressed ? packed.pipeThrough(new CompressionStream("gzip")) : packed;
    // Not the file's own stream, which would close it when something fails.
    const disk = new WritableStream<Uint8Array>({ write: (chunk) => writeAll(file, chunk) });
    this.#writing = bytes.pipeTo(disk);
    this.#writing.catch((error) => this.#failing.abort(error)); // whoever adds or finishes hears of it
  }

  /** Adds a text. */
  async addText(name: string, text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    await this.#add({ name, size: bytes.length, mode: 0o600 }, [bytes]);
  }

  /** Adds a link; where it leads is not looked at. */
  async addLink(name: string, target: string): Promise<void> {
    await this.#add({ name, size: 0, type: "symlink", linkname: target }, []);
    this.#sums[name] = createHash("sha256").update(target).digest("hex");
  }

  /**
   * Adds a file as it is now; false when it has gone.
   *
   * @param bytesMax only so much from its beginning
   * @throws {BackupError} when it gets shorter meanwhile
   */
  async addFile(name: string, path: string, bytesMax: number = Infinity): Promise<boolean> {
    const opened = await orNull(Deno.open(path));
    if (opened === null) return false;
    using file = opened;
    const info = await file.stat();
    const size = Math.min(info.size, bytesMax);
    const header: TarHeader = {
      ...{ name, size, mode: (info.mode ?? 0o600) & 0o777 },
      ...(info.mtime !== null && { mtime: info.mtime }),
    };
    await this.#add(header, chunksOf(file, size, path));
    return true;
  }

  /**
   * Completes the backup and gives it its name.
   *
   * @returns its bytes
   * @throws {BackupError} when something has got that name meanwhile
   */
  async finish(): Promise<number> {
    await this.addText(SUMS_ENTRY, JSON.stringify(this.#sums));
    this.#packer.controller.finalize();
    await this.#writing;
    await this.#file.sync();
    const { size } = await this.#file.stat();
    this.#file.close();
    this.#isOver = true;
    try {
      await giveName(this.#partial, this.#path);
    } finally {
      await removeIfThere(this.#partial);
    }
    if (Deno.build.os !== "windows") {
      using folder = await Deno.open(dirname(this.#path), { read: true });
      await folder.sync();
    }
    return size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#packer.controller.error(new BackupError("Cannot go on: the backup was given up"));
    await this.#writing.catch(() => {});
    this.#file.close();
    await removeIfThere(this.#partial);
  }

  async #add(
    header: TarHeader,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const hash = createHash("sha256");
    const body = this.#packer.controller.add(header).getWriter();
    for await (const chunk of chunks) {
      hash.update(chunk);
      await body.write(chunk);
      await this.#ahead.gave(chunk.length, this.#failing.signal); // the disk sets the pace
    }
    await body.close();
    if (header.name !== SUMS_ENTRY) this.#sums[header.name] = hash.digest("hex");
  }
}

/**
 * A link is refused where something has the name, so that nothing is ever replaced; where the disk
 * knows no links, a look has to do.
 */
async function giveName(partial: string, path: string): Promise<void> {
  try {
    await Deno.link(partial, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists || await exists(path)) throw taken(path, error);
    await Deno.rename(partial, path);
  }
}

function taken(path: string, cause?: unknown): BackupError {
  return new BackupError(`Cannot write "${path}": it is there already; choose another name`, {
    cause,
  });
}

async function* chunksOf(
  file: Deno.FsFile,
  size: number,
  path: string,
): AsyncGenerator<Uint8Array, void, void> {
  for (let left = size; left > 0;) {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, left));
    const count = await file.read(chunk);
    if (count === null) {
      throw new BackupError(`Cannot back up "${path}": it got shorter meanwhile; try again`);
    }
    yield chunk.subarray(0, count);
    left -= count;
  }
}
