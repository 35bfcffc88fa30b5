/**
 * Folders and files of snapshots on the disk.
 * @module
 */

import { join } from "node:path";
import { orNull, orNullSync } from "../../../kernel/adapters/missing.ts";

/** Makes a folder for its owner only, with nothing in it. */
export async function emptyPrivateFolder(path: string): Promise<string> {
  await orNull(Deno.remove(path, { recursive: true }));
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

/** Bytes of each file in a folder, by name; at once, so that nothing happens in between. */
export function fileSizes(folder: string): Record<string, number> {
  const entries = orNullSync(() => [...Deno.readDirSync(folder)]) ?? [];
  return Object.fromEntries(entries.flatMap(({ name, isFile }) => {
    const info = isFile ? orNullSync(() => Deno.statSync(join(folder, name))) : null;
    return info === null ? [] : [[name, info.size] as const];
  }));
}
