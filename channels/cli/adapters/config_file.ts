/**
 * The configuration file on disk: read whole, replaced whole.
 * @module
 */

import { basename, dirname } from "node:path";
import { exists, orNull } from "../../../actors/kernel/adapters/missing.ts";
import { DiskTextFiles } from "../../../actors/kernel/adapters/text_files.ts";

/** The file's text; null when there is none. */
export async function readConfigFile(path: string): Promise<string | null> {
  return await orNull(Deno.readTextFile(path));
}

/**
 * Replaces the file: at every moment the old or the new one is there, whole. Nobody else may read
 * it. Where it is a link, what it leads to is replaced.
 */
export async function replaceConfigFile(path: string, text: string): Promise<void> {
  const target = await orNull(Deno.realPath(path)) ?? path;
  await new DiskTextFiles(dirname(target)).replace(basename(target), text);
}

/** Names that are tried; nobody sets so many files aside. */
const ASIDE_MAX = 1_000;

/**
 * Moves the file to a name beside it that nothing has; nothing is overwritten.
 *
 * @returns the new path
 */
export async function setConfigFileAside(path: string): Promise<string> {
  for (let number = 1; number <= ASIDE_MAX; number++) {
    const aside = `${path}.aside-${number}`;
    if (await exists(aside)) continue;
    await Deno.rename(path, aside);
    return aside;
  }
  throw new RangeError(
    `Cannot set "${path}" aside: there are ${ASIDE_MAX} such files; remove some`,
  );
}
