/**
 * The folder of received files. A file is there whole, under its name, or not at all.
 * @module
 */

import { join } from "node:path";
import { GatewayError } from "../../../actors/kernel/errors.ts";

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

/** Keeps received files in one folder. */
export class MediaStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
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
    { bytesMax }: { readonly bytesMax: number },
  ): Promise<string> {
    const path = join(this.#folder, name);
    if (await exists(path)) {
      await body.cancel();
      return path;
    }
    const partPath = `${path}${PART_SUFFIX}`;
    try {
      await Deno.mkdir(this.#folder, { recursive: true });
      await writeAll(partPath, body, bytesMax);
      await Deno.rename(partPath, path);
      return path;
    } catch (error) {
      await Deno.remove(partPath).catch(() => {});
      throw diskErrorOf(error, name);
    }
  }
}

async function writeAll(
  path: string,
  body: ReadableStream<Uint8Array>,
  bytesMax: number,
): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new MediaError("media_too_large", `Cannot keep a file: above ${bytesMax} bytes`);
    }
    for (let written = 0; written < chunk.length;) {
      written += await file.write(chunk.subarray(written));
    }
  }
  await file.sync();
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw diskErrorOf(error, path);
  }
}

/** Faults of the disk; those of the network stay what they are. */
function diskErrorOf(error: unknown, name: string): unknown {
  if (error instanceof GatewayError || !isDiskError(error)) return error;
  const { message } = error;
  return new MediaError("media_disk", `Cannot keep "${name}": ${message}`, { cause: error });
}

function isDiskError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, "code");
  const isSystem = typeof code === "string" &&
    /^E(NOSPC|DQUOT|ROFS|ACCES|PERM|IO|MFILE|NFILE|NAMETOOLONG)$/.test(code);
  return isSystem || error instanceof Deno.errors.PermissionDenied ||
    error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.NotFound;
}
