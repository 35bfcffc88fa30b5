/**
 * One writer: a gateway holds its state folder and its workspace, each against any other process.
 * @module
 */

import { join } from "node:path";
import type { Locations } from "../config/locations.ts";
import { type Clock, sleep } from "../kernel/clock.ts";
import { asError } from "../kernel/errors.ts";
import {
  type LockAttempt,
  LockFile,
  type LockHolder,
  type LockPurpose,
} from "./adapters/lock_file.ts";
import { makeFolder } from "./adapters/local_folders.ts";
import { LockedError, StartError } from "./errors.ts";

/** Lock of the state folder, in it. */
export const STATE_LOCK = "gateway.lock";
/** Lock of the workspace, in it. */
export const WORKSPACE_LOCK = ".troupe.lock";

/** Whoever looks into the files for a moment is waited for. */
const BRIEF_WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 50;

/** Who takes a lock. */
export interface LockTaker {
  readonly clock: Clock;
  /** What this process was started as, for others to read. */
  readonly command: string;
}

/** One of the two, and what to do where it cannot be had. */
interface Place {
  readonly code: "state" | "workspace";
  readonly noun: string;
  readonly folder: string;
  readonly file: string;
  readonly otherwise: string;
}

/**
 * Takes both locks; disposing of the result lets go of them.
 *
 * @param isBrief they are let go in a moment: whoever meets them waits for it
 * @throws {LockedError} when another process holds one of them
 * @throws {StartError} when a folder cannot be made or written
 */
export async function takeLocks(
  { stateFolder, workspace }: Pick<Locations, "stateFolder" | "workspace">,
  taker: LockTaker,
  { isBrief }: { readonly isBrief: boolean } = { isBrief: false },
): Promise<Disposable> {
  using taking = new DisposableStack();
  taking.use(await takeLock(statePlace(stateFolder), taker, { isBrief }));
  taking.use(await takeLock(workspacePlace(workspace), taker, { isBrief }));
  return taking.move();
}

/**
 * Takes the lock of the state folder alone, for a short look into its files.
 *
 * @throws {LockedError} when another process holds it
 * @throws {StartError} when the folder cannot be made or written
 */
export function takeStateLock(stateFolder: string, taker: LockTaker): Promise<Disposable> {
  return takeLock(statePlace(stateFolder), taker, { isBrief: true });
}

function statePlace(folder: string): Place {
  const otherwise = "use another configuration with --config";
  return { code: "state", noun: "state folder", folder, file: STATE_LOCK, otherwise };
}

function workspacePlace(folder: string): Place {
  const otherwise = "set another agents.defaults.workspace or --workspace";
  return { code: "workspace", noun: "workspace", folder, file: WORKSPACE_LOCK, otherwise };
}

async function takeLock(
  place: Place,
  { clock, command }: LockTaker,
  { isBrief }: { readonly isBrief: boolean },
): Promise<LockFile> {
  for (let waitedMs = 0;; waitedMs += LOOK_AGAIN_MS) {
    const attempt = await tryLock(place, { command, isBrief });
    if (attempt.state === "held") return attempt.lock;
    const { holder } = attempt;
    if (holder?.isBrief !== true || waitedMs >= BRIEF_WAIT_MS) throw lockedError(place, holder);
    await sleep(clock, LOOK_AGAIN_MS);
  }
}

function lockedError(place: Place, holder: LockHolder | null): LockedError {
  const { code, noun, folder, file, otherwise } = place;
  const text = `Cannot use ${noun} "${folder}": ${holderText(holder, join(folder, file))} ` +
    `uses it; stop that one first, or ${otherwise}`;
  return new LockedError(`${code}_locked`, text, holder);
}

async function tryLock(place: Place, purpose: LockPurpose): Promise<LockAttempt> {
  const { code, noun, folder, file, otherwise } = place;
  try {
    await makeFolder(folder, { isPrivate: code === "state" });
    return await LockFile.take(join(folder, file), purpose);
  } catch (error) {
    const cause = asError(error);
    const text = `Cannot use ${noun} "${folder}": ${reasonOf(cause)}; ` +
      `make it a folder that can be written, or ${otherwise}`;
    throw new StartError(`${code}_unusable`, text, { cause });
  }
}

function holderText(holder: LockHolder | null, file: string): string {
  if (holder === null) return `another process (see "${file}")`;
  const since = new Date(holder.startedAtMs).toISOString().slice(0, 19).replace("T", " ");
  return `process ${holder.pid} (troupe ${holder.command}, since ${since} UTC)`;
}

/** The system's words without the path, which the sentence names already. */
function reasonOf({ message }: Error): string {
  return message.replace(/: \w+ '.*'$/, "").replace(/ \(os error \d+\)$/, "")
    .replace(/, run again with .*$/, "");
}
