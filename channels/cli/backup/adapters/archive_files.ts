/**
 * Which files of a gateway go into a backup.
 * @module
 */

import { join } from "node:path";
import type { Locations } from "../../../../actors/config/locations.ts";
import { orNull } from "../../../../actors/kernel/adapters/missing.ts";

/** A file or link that goes into a backup. */
export interface ArchiveFile {
  /** Its name in the archive. */
  readonly name: string;
  readonly path: string;
  /** Where a link leads; null for a file. */
  readonly target: string | null;
}

/** What is chosen. */
export interface ArchiveChoice {
  readonly hasSecrets: boolean;
  readonly hasMedia: boolean;
}

/** Of the state folder: what can be made again, belongs to a process, or is copied otherwise. */
const LEFT_OUT =
  /^(backup|recall|logs|mcp|gateway\.lock|control\.(sock|json)|fence\.json|probe-.*)$|^journal\.sqlite/;
/** What of the state folder holds no secrets. */
const WITHOUT_SECRETS = /^audit$/;
/** Of the workspace: the lock of a process. */
const WORKSPACE_LEFT_OUT = /^\.troupe\.lock$/;

/** All files, in order; but for the configuration and the journal, which need care. */
export async function* archiveFiles(
  { stateFolder, mediaFolder, workspace }: Locations,
  { hasSecrets, hasMedia }: ArchiveChoice,
): AsyncGenerator<ArchiveFile, void, void> {
  const isState = (name: string) =>
    !LEFT_OUT.test(name) && (hasSecrets || WITHOUT_SECRETS.test(name));
  yield* filesIn(stateFolder, "state", isState);
  yield* filesIn(workspace, "workspace", (name) => !WORKSPACE_LEFT_OUT.test(name));
  if (hasMedia) yield* filesIn(mediaFolder, "media", () => true);
}

async function* filesIn(
  folder: string,
  name: string,
  isWanted: (name: string) => boolean,
): AsyncGenerator<ArchiveFile, void, void> {
  const entries = await orNull(Array.fromAsync(Deno.readDir(folder))) ?? [];
  for (const entry of entries.toSorted((one, other) => one.name < other.name ? -1 : 1)) {
    if (!isWanted(entry.name)) continue;
    const [path, inArchive] = [join(folder, entry.name), `${name}/${entry.name}`];
    if (entry.isDirectory) yield* filesIn(path, inArchive, () => true);
    else if (entry.isFile) yield { name: inArchive, path, target: null };
    else if (entry.isSymlink) {
      const target = await orNull(Deno.readLink(path));
      if (target !== null) yield { name: inArchive, path, target };
    }
  }
}
