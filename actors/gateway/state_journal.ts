/**
 * The journal of a state folder: for the gateway that runs there, or for a look while none does.
 * @module
 */

import { join } from "node:path";
import { JournalError } from "../journal/journal.ts";
import { openSqliteJournal, type SqliteJournal } from "../journal/sqlite_journal.ts";
import { hasFile } from "./adapters/local_folders.ts";
import { StartError } from "./errors.ts";
import { takeStateLock } from "./locks.ts";
import type { World } from "./world.ts";

/** Where the journal is. */
export function journalPath(stateFolder: string): string {
  return join(stateFolder, "journal.sqlite");
}

/**
 * Opens the journal of a state folder whose lock this process holds.
 *
 * @throws {StartError} when it cannot be used
 */
export function openJournal(stateFolder: string, { clock, defer }: World): SqliteJournal {
  try {
    return openSqliteJournal({ path: journalPath(stateFolder), clock, defer });
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    throw new StartError("journal_unusable", error.message, { cause: error });
  }
}

/**
 * Works on the journal while no gateway runs; null where there is none yet.
 *
 * @param command what this process was started as, for others to read
 * @throws {LockedError} when a process holds the state folder
 * @throws {StartError} when folder or journal cannot be used
 */
export async function withIdleJournal<T>(
  stateFolder: string,
  { world, command }: { readonly world: World; readonly command: string },
  work: (journal: SqliteJournal) => Promise<T>,
): Promise<T | null> {
  if (!await hasFile(journalPath(stateFolder))) return null;
  using _lock = await takeStateLock(stateFolder, { clock: world.clock, command });
  await using journal = openJournal(stateFolder, world);
  return await work(journal);
}
