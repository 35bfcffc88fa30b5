/**
 * Files of the assistant's as they are looked at, and served.
 * @module
 */

import { sep } from "node:path";
import { orNull } from "../../../actors/kernel/adapters/missing.ts";
import type { FileRead } from "../../media/adapters/files.ts";

/** A file to serve; the body must be read or cancelled. */
export interface ServedFile {
  readonly bytes: number;
  readonly body: ReadableStream<Uint8Array>;
}

/** Whether a file could be sent, and how large it is. */
export type FileLook =
  | { readonly state: "ok"; readonly bytes: number }
  | { readonly state: Exclude<FileRead["state"], "ok"> };

/** Looks at a file of at most `bytesMax` bytes, as `readFile` reads it. */
export async function lookAtFile(path: string, bytesMax: number): Promise<FileLook> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) return { state: "missing" };
    if (size === 0) return { state: "empty" };
    return size > bytesMax ? { state: "too_large" } : { state: "ok", bytes: size };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { state: "missing" };
    if (error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied) {
      return { state: "unreadable" };
    }
    throw error;
  }
}

/** Opens a file for serving, where it really stands; null when that is outside of `folders`. */
export async function openServed(
  path: string,
  folders: readonly string[],
): Promise<ServedFile | null> {
  const real = await orNull(Deno.realPath(path));
  const roots = await Promise.all(folders.map((folder) => orNull(Deno.realPath(folder))));
  const isInside = roots.some((root) => root !== null && real?.startsWith(`${root}${sep}`));
  if (real === null || !isInside) return null;
  const file = await orNull(Deno.open(real));
  if (file === null) return null;
  const { isFile, size } = await file.stat();
  if (isFile) return { bytes: size, body: file.readable };
  file.close();
  return null;
}
