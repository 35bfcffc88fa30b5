/**
 * Following the symlinks in a path, and looking at what is there.
 * @module
 */

import { basename, dirname, join } from "node:path";
import { asError } from "../../kernel/errors.ts";
import { ToolError } from "../tool.ts";

/** A path that does not exist resolves through at most this many missing folders. */
const MISSING_DEPTH_MAX = 64;

/**
 * Follows all symlinks; what does not exist yet counts below its nearest existing folder.
 *
 * @param shown how the model named it
 * @throws {ToolError} `path_missing` for a link that leads nowhere, `file_failed`
 */
export async function resolveLinks(absolute: string, shown: string): Promise<string> {
  const missingNames: string[] = [];
  let existing = absolute;
  for (let depth = 0; depth < MISSING_DEPTH_MAX; depth++) {
    try {
      return join(await Deno.realPath(existing), ...missingNames);
    } catch (error) {
      if (!isMissing(error)) throw failedTo("resolve", shown, error);
      // A dangling link would be written through to wherever it points.
      if (await isSymlink(existing)) throw missing(shown);
      missingNames.unshift(basename(existing));
      existing = dirname(existing);
    }
  }
  throw missing(shown);
}

/** What stands at a resolved path, or null. */
export async function statOrNull(path: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Nothing is there. */
export function missing(path: string): ToolError {
  return new ToolError("path_missing", `Cannot find "${path}": no such file or folder`);
}

/** Something went wrong with a path, as an error for the model. */
export function failedTo(action: string, path: string, thrown: unknown): ToolError {
  if (thrown instanceof ToolError) return thrown;
  const cause = asError(thrown);
  if (isMissing(cause)) return missing(path);
  if (cause instanceof Deno.errors.NotCapable) {
    const text = `Cannot ${action} "${path}": this is not allowed, as tools have no right to it`;
    return new ToolError("path_protected", text, { cause });
  }
  return new ToolError("file_failed", `Cannot ${action} "${path}": ${cause.message}`, { cause });
}

/** A file where a folder should be is as good as nothing at all. */
function isMissing(error: unknown): boolean {
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
    return true;
  }
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

async function isSymlink(path: string): Promise<boolean> {
  try {
    return (await Deno.lstat(path)).isSymlink;
  } catch {
    return false;
  }
}
