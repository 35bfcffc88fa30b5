/**
 * The configuration file on disk: read whole, replaced whole.
 * @module
 */

import { dirname } from "node:path";
import { exists } from "../../../actors/kernel/adapters/missing.ts";

/** The file's text; null when there is none. */
export async function readConfigFile(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/**
 * Replaces the file: at every moment the old or the new one is there, whole. Nobody else may read
 * it. Where it is a link, what it leads to is replaced.
 */
export async function replaceConfigFile(path: string, text: string): Promise<void> {
  const target = await realFile(path);
  await Deno.mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = `${target}.${crypto.randomUUID()}.tmp`;
  try {
    {
      using file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 });
      const bytes = new TextEncoder().encode(text);
      for (let written = 0; written < bytes.length;) {
        written += await file.write(bytes.subarray(written));
      }
      await file.sync();
    }
    await Deno.rename(temporary, target);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}

async function realFile(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return path;
    throw error;
  }
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
