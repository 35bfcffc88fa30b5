/**
 * The folder of received files. A file is there whole, under its name, or not at all.
 * @module
 */

import { join } from "node:path";
import { exists } from "../../../actors/kernel/adapters/missing.ts";
import { writeAll } from "../../../actors/kernel/adapters/write_all.ts";
import { GatewayError } from "../../../actors/kernel/errors.ts";
import type { NewId } from "../../../actors/kernel/random.ts";

/** Files that are still being written; what is left of them after a crash is removed. */
const PART_SUFFIX = ".part";

/** Why a file was not kept. */
export type MediaFailure = "media_too_large" | "media_disk";

/** A received file could not be kept. */
export class MediaError extends GatewayError {
  override readonly name = "MediaError";
  readonly code: MediaFailure;
  readonly recovery = "give_up";

  constructor(code: MediaFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A file that is too large, as is known before it is fetched. */
export function tooLarge(bytes: number, bytesMax: number): MediaError {
  return new MediaError("media_too_large", `Cannot take ${bytes} bytes: ${bytesMax} is most`);
}

/** How much may be kept. */
export interface SaveBounds {
  readonly bytesMax: number;
  /** How long the body is said to be; one that is too long is not begun. @default unknown */
  readonly length?: number | null;
}

/** Keeps received files in one folder. */
export class MediaStore {
  readonly #folder: string;
  readonly #newId: NewId;

  /** @param newId tells attempts apart that write the same file */
  constructor(folder: string, newId: NewId) {
    this.#folder = folder;
    this.#newId = newId;
  }

  /** Removes what an earlier process did not finish. */
  async clean(): Promise<void> {
    try {
      for await (const { name, isFile } of Deno.readDir(this.#folder)) {
        if (isFile && name.endsWith(PART_SUFFIX)) await Deno.remove(join(this.#folder, name));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  /**
   * Writes `body` to a file; one that is there already is kept, and the body cancelled.
   *
   * @param name a base name that is safe and belongs to these bytes alone
   * @returns the file's absolute path
   * @throws {MediaError} whatever `body` fails with
   */
  async save(
    name: string,
    body: ReadableStream<Uint8Array>,
    { bytesMax, length = null }: SaveBounds,
  ): Promise<string> {
    if (length !== null && length > bytesMax) {
      await body.cancel();
      throw tooLarge(length, bytesMax);
    }
    const path = join(this.#folder, name);
    const partPath = `${path}.${this.#newId()}${PART_SUFFIX}`;
    const disk = <T>(work: () => Promise<T>): Promise<T> => onDisk(name, work);
    try {
      if (await disk(() => exists(path))) {
        await body.cancel();
        return path;
      }
      await disk(() => Deno.mkdir(this.#folder, { recursive: true }));
      using file = await disk(() => Deno.open(partPath, PART_OPTIONS));
      let bytes = 0;
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > bytesMax) {
          throw new MediaError("media_too_large", `Cannot keep "${name}": above ${bytesMax} bytes`);
        }
        await disk(() => writeAll(file, chunk));
      }
      await disk(() => file.sync());
      await disk(() => Deno.rename(partPath, path));
      return path;
    } catch (error) {
      await body.cancel().catch(() => {}); // it may not have been begun
      await Deno.remove(partPath).catch(() => {});
      throw error;
    }
  }
}

const PART_OPTIONS: Deno.OpenOptions = {
  write: true,
  create: true,
  truncate: true,
  mode: 0o600,
};

/** Faults of the disk by what they are; those of the network are not caught here. */
async function onDisk<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MediaError("media_disk", `Cannot keep "${name}": ${reason}`, { cause: error });
  }
}
