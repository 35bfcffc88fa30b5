/**
 * A config home that becomes another one: whole by a new name, or, where it cannot be renamed as it
 * is a mount point (a container's volume), by its contents.
 * @module
 */

import { dirname, join } from "node:path";
import { systemWorld } from "../../../../actors/gateway/adapters/system_world.ts";
import { takeStateLock } from "../../../../actors/gateway/locks.ts";
import { exists, orNull } from "../../../../actors/kernel/adapters/missing.ts";
import { setConfigFileAside } from "../../adapters/config_file.ts";
import { BackupError } from "../archive_format.ts";

/** Makes the new home in an empty folder. */
export type FillHome<T> = (folder: string) => Promise<T>;

/** What came of it. */
export interface SwappedHome<T> {
  readonly made: T;
  /** Where the old home is now; null where there was none. */
  readonly aside: string | null;
}

/** Where the new home is made when it must not be beside the old one. */
const STAGING = ".restoring";
/** Of file systems, or of ours: neither old nor new. */
const NO_CONTENTS = /^(lost\+found|aside-\d+|\.restoring)$/;
/** Goes first: it holds the fence, so that nothing half restored answers anybody. */
const STATE = "state";
const ASIDE_MAX = 1_000;

/** What the system says when a folder keeps its name, or nothing can be put beside it. */
const REFUSALS: ReadonlySet<unknown> = new Set(["EBUSY", "EXDEV", "EACCES", "EPERM", "EROFS"]);

/** Whether there is anything in a home that a restored one would take the place of. */
export async function hasContents(home: string): Promise<boolean> {
  const names = await namesIn(home);
  return names.some((name) => name !== STAGING && name !== "lost+found");
}

/** Puts what `fill` makes in the place of the home; when that fails, the home is as it was. */
export async function swapHome<T>(home: string, fill: FillHome<T>): Promise<SwappedHome<T>> {
  if (await isOtherDisk(home)) return await swapContents(home, fill);
  try {
    return await swapFolder(home, fill);
  } catch (error) {
    if (!isRefusal(error) || !await exists(home)) throw error;
    return await swapContents(home, fill);
  }
}

async function swapFolder<T>(home: string, fill: FillHome<T>): Promise<SwappedHome<T>> {
  const folder = `${home}.restoring`;
  const made = await filled(folder, fill);
  try {
    if (!await exists(home)) {
      await Deno.rename(folder, home);
      return { made, aside: null };
    }
    // The lock is a file in the home: one that is empty stays so until it is renamed.
    using _lock = await hasContents(home) ? await lockOf(home) : null;
    const aside = await setConfigFileAside(home);
    await orUndo(Deno.rename(folder, home), () => Deno.rename(aside, home));
    return { made, aside };
  } catch (error) {
    await orNull(Deno.remove(folder, { recursive: true }));
    throw error;
  }
}

/** The same within a home that stays where it is; what was there goes to a folder in it. */
export async function swapContents<T>(home: string, fill: FillHome<T>): Promise<SwappedHome<T>> {
  const folder = join(home, STAGING);
  const made = await filled(folder, fill);
  try {
    if ((await contentsOf(home)).length === 0) {
      await moveAll(folder, home, await namesIn(folder));
      return { made, aside: null };
    }
    using _lock = await lockOf(home);
    const old = await contentsOf(home);
    const aside = await asideIn(home);
    await orUndo(moveAll(home, aside, old), () => Deno.remove(aside));
    await orUndo(moveAll(folder, home, await namesIn(folder)), async () => {
      await moveAll(aside, home, old);
      await Deno.remove(aside);
    });
    return { made, aside };
  } finally {
    await orNull(Deno.remove(folder, { recursive: true }));
  }
}

async function filled<T>(folder: string, fill: FillHome<T>): Promise<T> {
  await orNull(Deno.remove(folder, { recursive: true })); // of one that was cut short
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return await fill(folder);
  } catch (error) {
    await orNull(Deno.remove(folder, { recursive: true }));
    throw error;
  }
}

/** Moves all of them, or none. */
async function moveAll(source: string, target: string, names: readonly string[]): Promise<void> {
  const moved: string[] = [];
  try {
    for (const name of names.toSorted((a, b) => Number(b === STATE) - Number(a === STATE))) {
      await Deno.rename(join(source, name), join(target, name));
      moved.push(name);
    }
  } catch (cause) {
    for (const name of moved.toReversed()) {
      await Deno.rename(join(target, name), join(source, name));
    }
    const name = names.find((one) => !moved.includes(one)) ?? "";
    throw new BackupError(
      `Cannot move "${join(source, name)}": it may be a mount point itself; mount the home whole`,
      { cause },
    );
  }
}

async function orUndo(step: Promise<void>, undo: () => Promise<void>): Promise<void> {
  try {
    await step;
  } catch (error) {
    await undo();
    throw error;
  }
}

async function asideIn(home: string): Promise<string> {
  for (let number = 1; number <= ASIDE_MAX; number++) {
    const aside = join(home, `aside-${number}`);
    if (await exists(aside)) continue;
    await Deno.mkdir(aside, { mode: 0o700 });
    return aside;
  }
  throw new RangeError(`Cannot set "${home}" aside: it holds ${ASIDE_MAX} old homes; remove some`);
}

function lockOf(home: string): Promise<Disposable> {
  return takeStateLock(join(home, STATE), { clock: systemWorld().clock, command: "restore" });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await orNull(Array.fromAsync(Deno.readDir(folder))) ?? [];
  return entries.map(({ name }) => name);
}

async function contentsOf(home: string): Promise<readonly string[]> {
  return (await namesIn(home)).filter((name) => !NO_CONTENTS.test(name));
}

/** A home that is the root of a file system of its own. */
async function isOtherDisk(home: string): Promise<boolean> {
  const own = await orNull(Deno.stat(home));
  const above = await orNull(Deno.stat(dirname(home)));
  return own !== null && above !== null && own.dev !== above.dev;
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && REFUSALS.has(error.code);
}
