/**
 * A file that one process at a time holds. The lock is the operating system's, so it goes with its
 * process however that ends; what the file says only tells others whom they met.
 * @module
 */

import { z } from "zod";
import { writeAll } from "../../kernel/adapters/write_all.ts";

/** Who holds a lock. */
export interface LockHolder {
  readonly pid: number;
  /** What it was started as: `gateway`, `agent`, … */
  readonly command: string;
  /** It will let go in a moment. */
  readonly isBrief: boolean;
  readonly startedAtMs: number;
}

/** What the holder of a lock tells others of itself. */
export type LockPurpose = Pick<LockHolder, "command" | "isBrief">;

/** How taking a lock ended; whoever has it may not have said who it is yet. */
export type LockAttempt =
  | { readonly state: "held"; readonly lock: LockFile }
  | { readonly state: "taken"; readonly holder: LockHolder | null };

const holderSchema: z.ZodType<LockHolder> = z.object({
  pid: z.int(),
  command: z.string(),
  isBrief: z.boolean(),
  startedAtMs: z.number(),
});

/** Where no lock can be tried, asking for it counts as refused after this. */
const PATIENCE_MS = 300;

/** The number of this process. */
export function processId(): number {
  return Deno.pid;
}

/** A lock that this process holds, until it is disposed of or the process ends. */
export class LockFile implements Disposable {
  readonly #file: Deno.FsFile;
  #isHeld = true;

  /**
   * Takes the lock at `path`, in a folder that is there; the file is made for its owner only.
   *
   * @throws {Error} what the system says when the file cannot be opened
   */
  static async take(path: string, purpose: LockPurpose): Promise<LockAttempt> {
    using opening = new DisposableStack();
    const file = opening.use(
      await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 }),
    );
    if (!await isLocked(file)) return { state: "taken", holder: await readHolder(path) };
    const lock = opening.use(new LockFile(file));
    await lock.#write({ pid: processId(), ...purpose, startedAtMs: Date.now() });
    opening.move();
    return { state: "held", lock };
  }

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Lets go; the file stays, empty, as another process may be opening it right now. */
  [Symbol.dispose](): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    try {
      this.#file.truncateSync(0);
      // A child that is just being forked has a copy of the file, whose closing it would take.
      this.#file.unlockSync();
    } finally {
      this.#file.close();
    }
  }

  async #write(holder: LockHolder): Promise<void> {
    await this.#file.truncate(0);
    const bytes = new TextEncoder().encode(`${JSON.stringify(holder)}\n`);
    await writeAll(this.#file, bytes);
  }
}

async function isLocked(file: Deno.FsFile): Promise<boolean> {
  if (typeof file.tryLock === "function") return await file.tryLock(true);
  // Deno 2.6 can only wait for a lock. Whoever is refused here ends soon, and the wait with it.
  const { promise: expired, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), PATIENCE_MS);
  const locked = file.lock(true).then(() => true, () => false);
  return await Promise.race([locked, expired]).finally(() => clearTimeout(timer));
}

/** Null while its holder is still writing, or where a locked file cannot be read (Windows). */
async function readHolder(path: string): Promise<LockHolder | null> {
  try {
    const parsed = holderSchema.safeParse(JSON.parse(await Deno.readTextFile(path)));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
