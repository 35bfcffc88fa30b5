/**
 * The folder in which a shell level keeps its small files: made anew for each, removed with it, and
 * where that was not possible (a kill -9) by the next one on the same machine.
 * @module
 */

import { dirname, join } from "node:path";
import { getLogger } from "@logtape/logtape";

const logger = getLogger(["troupe", "tools", "shell_folder"]);

const PREFIX = "troupe-shell-";
/** Held while the folder is in use; the system lets go of it with its process, however that ends. */
const LOCK = "lock";
/** One that is younger may be about to be locked. */
const YOUNG_MS = 60_000;

/** A folder that goes when it is disposed of. */
export class ShellFolder implements AsyncDisposable {
  /** Its real path. */
  readonly path: string;
  readonly #lock: Deno.FsFile;

  private constructor(path: string, lock: Deno.FsFile) {
    this.path = path;
    this.#lock = lock;
  }

  /** Makes a folder, and removes those that dead processes of this user left behind. */
  static async make(): Promise<ShellFolder> {
    const path = await Deno.realPath(await Deno.makeTempDir({ prefix: PREFIX }));
    const lock = await Deno.open(join(path, LOCK), { create: true, write: true, mode: 0o600 });
    await lock.lock(true);
    await removeLeftovers(dirname(path));
    return new ShellFolder(path, lock);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
    this.#lock.close();
  }
}

/** What cannot be removed stays: it is small, and somebody else's business. */
async function removeLeftovers(temporary: string): Promise<void> {
  try {
    for await (const { name, isDirectory } of Deno.readDir(temporary)) {
      const path = join(temporary, name);
      if (!isDirectory || !name.startsWith(PREFIX) || !await isLeftover(path)) continue;
      await Deno.remove(path, { recursive: true });
      logger.info("Removed {path}, which a gateway that was killed left behind", { path });
    }
  } catch (error) {
    logger.debug("Cannot look for leftovers in {temporary}: {error}", { temporary, error });
  }
}

/** Ours, not young, and with a lock that nobody holds. */
async function isLeftover(path: string): Promise<boolean> {
  try {
    const { uid, mtime } = await Deno.lstat(path);
    if (uid !== Deno.uid() || Date.now() - (mtime?.getTime() ?? 0) < YOUNG_MS) return false;
    const lockPath = join(path, LOCK);
    if (!(await Deno.lstat(lockPath)).isFile) return false;
    using lock = await Deno.open(lockPath, { write: true });
    // Deno 2.6 can only wait for a lock: there they stay.
    return typeof lock.tryLock === "function" && await lock.tryLock(true);
  } catch {
    return false;
  }
}
