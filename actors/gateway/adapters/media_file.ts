/**
 * Files that a channel received, read by the main process on the channel's behalf.
 * @module
 */

import { sep } from "node:path";

/** A file's bytes, or why there are none. */
export type MediaFileRead =
  | { readonly state: "ok"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly state: "outside" | "missing" | "too_large" };

/** Reads a file of `folder`. A path that leads out of it, by a link too, is refused. */
export async function readMediaFile(
  folder: string,
  path: string,
  bytesMax: number,
): Promise<MediaFileRead> {
  try {
    const [realFolder, realPath] = await Promise.all([Deno.realPath(folder), Deno.realPath(path)]);
    if (!realPath.startsWith(`${realFolder}${sep}`)) return { state: "outside" };
    const { isFile, size } = await Deno.stat(realPath);
    if (!isFile) return { state: "missing" };
    if (size > bytesMax) return { state: "too_large" };
    return { state: "ok", bytes: await Deno.readFile(realPath) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { state: "missing" };
    throw error;
  }
}
