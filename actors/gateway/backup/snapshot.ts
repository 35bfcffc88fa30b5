/**
 * A moment of a gateway, for a backup: a whole copy of its journal, and how long the files of its
 * conversations were just then.
 * @module
 */

import { join } from "node:path";
import { z } from "zod";
import type { SqliteJournal } from "../../journal/sqlite_journal.ts";
import type { NewId } from "../../kernel/random.ts";
import { type ControlRequest, query } from "../control.ts";
import { answers, type ControlHandler } from "../control_handler.ts";
import { emptyPrivateFolder, fileSizes } from "./adapters/snapshot_files.ts";

/** A journal is copied at some 100 MB a second. */
const SNAPSHOT_MS = 600_000;
/** Folder of copies, in the state folder. */
export const SNAPSHOTS_FOLDER = "backup";

/** What was there at one moment. */
export interface Snapshot {
  /** The copy of the journal; whoever asked for it removes it. */
  readonly journal: string;
  /** Where the gateway works, whatever its configuration says by now. */
  readonly workspace: string;
  /**
   * Bytes of each conversation's file by its name. What was appended later belongs to what the copy
   * of the journal does not know of.
   */
  readonly sessions: Readonly<Record<string, number>>;
}

/** Takes a snapshot in the running gateway. */
export const snapshotRequest: ControlRequest<Record<string, never>, Snapshot> = {
  ...query("backup_snapshot", {
    params: z.strictObject({}),
    result: z.object({
      journal: z.string(),
      workspace: z.string(),
      sessions: z.record(z.string(), z.number()),
    }),
  }),
  timeoutMs: SNAPSHOT_MS,
};

/** What a snapshot is taken of. */
export interface SnapshotGround {
  readonly journal: Pick<SqliteJournal, "copy">;
  readonly stateFolder: string;
  /** Real path. */
  readonly workspace: string;
  readonly newId: NewId;
}

/** Takes one. What earlier ones left behind is removed. @throws {JournalError} */
export async function takeSnapshot(
  { journal, stateFolder, workspace, newId }: SnapshotGround,
): Promise<Snapshot> {
  const folder = await emptyPrivateFolder(join(stateFolder, SNAPSHOTS_FOLDER));
  const path = join(folder, `journal-${newId()}.sqlite`);
  // No line goes from the journal into a file and out of the journal in between.
  const sessions = await journal.copy(path, () => fileSizes(join(workspace, "sessions")));
  return { journal: path, workspace, sessions };
}

/** How the gateway answers. */
export function snapshotHandler(ground: SnapshotGround): ControlHandler {
  return answers(snapshotRequest, () => takeSnapshot(ground));
}
