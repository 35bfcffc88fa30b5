/**
 * Files to send, read from disk.
 * @module
 */

/** A file's bytes, or why there are none. */
export type FileRead =
  | { readonly state: "ok"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly state: "missing" | "unreadable" | "empty" | "too_large" };

/** Reads a file of at most `bytesMax` bytes. */
export async function readFile(path: string, bytesMax: number): Promise<FileRead> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) return { state: "missing" };
    if (size === 0) return { state: "empty" };
    if (size > bytesMax) return { state: "too_large" };
    return { state: "ok", bytes: await Deno.readFile(path) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { state: "missing" };
    if (error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied) {
      return { state: "unreadable" };
    }
    throw error;
  }
}
