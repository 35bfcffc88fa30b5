/**
 * The configuration file on disk: read whole, replaced whole.
 * @module
 */

import { basename, dirname } from "node:path";
import { readTextFile } from "../../../actors/config/adapters/system_source.ts";
import { unreadable } from "../../../actors/config/load_config.ts";
import { GatewayError } from "../../../actors/kernel/errors.ts";
import { exists, orNull } from "../../../actors/kernel/adapters/missing.ts";
import { DiskTextFiles } from "../../../actors/kernel/adapters/text_files.ts";
import { pause } from "./process.ts";

/** A change takes some ten milliseconds; whoever holds the file for longer is not waited for. */
const HOLD_MS_MAX = 5_000;
const HOLD_AGAIN_MS = 10;
/** Somebody who writes more often than this is no person. */
const ATTEMPTS_MAX = 20;

/** The file is changed by others all the time. */
class ConfigBusyError extends GatewayError {
  override readonly name = "ConfigBusyError";
  readonly code = "config_busy";
  readonly recovery = "retry";
}

/**
 * The file's text; null when there is none.
 *
 * @throws {ConfigError} when it cannot be read, or is not UTF-8: written back, it would lose what
 * stands there
 */
export async function readConfigFile(path: string): Promise<string | null> {
  try {
    return await readTextFile(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * Changes the file by a function of its text, again whenever somebody else was faster, so that
 * nobody's change is lost. A file that stays as it is is not written.
 *
 * @returns what the function gave for the text that stands there now
 * @throws {ConfigError} {Error}
 */
export async function changeConfigFile<T extends { readonly text: string }>(
  path: string,
  change: (text: string | null) => T | Promise<T>,
): Promise<T> {
  const target = await orNull(Deno.realPath(path)) ?? path;
  const files = new DiskTextFiles(dirname(target));
  using _folder = await holdFolder(dirname(target));
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const text = await readConfigFile(target);
    const changed = await change(text);
    if (changed.text === text) return changed;
    const isAsRead = async () => await readConfigFile(target) === text;
    if (await files.replaceIf(basename(target), changed.text, isAsRead)) return changed;
  }
  throw new ConfigBusyError(`Cannot change "${path}": others change it all the time; try again`);
}

/** Keeps other commands out while one reads and writes; where nothing does, looks have to do. */
async function holdFolder(path: string): Promise<Deno.FsFile | null> {
  const isKept = Deno.build.os !== "windows"; // folders cannot be opened there
  const folder = isKept ? await orNull(Deno.open(path, { read: true })) : null;
  for (let waitedMs = 0; folder !== null && waitedMs < HOLD_MS_MAX; waitedMs += HOLD_AGAIN_MS) {
    if (typeof folder.tryLock !== "function") return folder; // Deno 2.6 can only wait
    // Some network disks know no locks.
    if (await folder.tryLock(true).catch(() => true)) return folder;
    await pause(HOLD_AGAIN_MS);
  }
  return folder;
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
