/**
 * The folder of received files, for those who clear it.
 * @module
 */

import { join } from "node:path";
import { orNull } from "../../kernel/adapters/missing.ts";
import type { KeptFile, MediaFolder } from "../media_keeper.ts";

/** Files of one bot lie in a folder of its own; nothing of ours is deeper. */
const DEPTH_MAX = 4;

/** The folder at a path; it need not be there. */
export function mediaFolderAt(path: string): MediaFolder {
  return {
    list: () => filesIn(path, DEPTH_MAX),
    remove: async (file) => {
      await orNull(Deno.remove(file));
    },
  };
}

async function filesIn(folder: string, depth: number): Promise<readonly KeptFile[]> {
  const entries = await orNull(Array.fromAsync(Deno.readDir(folder))) ?? [];
  const found = await Promise.all(entries.map(async ({ name, isDirectory, isFile }) => {
    const path = join(folder, name);
    if (isDirectory) return depth > 1 ? await filesIn(path, depth - 1) : [];
    const info = isFile ? await orNull(Deno.lstat(path)) : null;
    return info === null
      ? []
      : [{ path, modifiedAtMs: info.mtime?.getTime() ?? 0, bytes: info.size }];
  }));
  return found.flat();
}
