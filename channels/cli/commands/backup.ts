/**
 * `backup`: all that a gateway keeps, in one file, while it runs or not.
 * @module
 */

import { basename, dirname, resolve } from "node:path";
import { parseConfigText } from "../../../actors/config/json_text.ts";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { connectControl } from "../../../actors/gateway/adapters/control_socket.ts";
import { realFolderOr } from "../../../actors/gateway/adapters/local_folders.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import {
  type Snapshot,
  snapshotRequest,
  takeSnapshot,
} from "../../../actors/gateway/backup/snapshot.ts";
import { askDoor } from "../../../actors/gateway/control_client.ts";
import { withIdleJournal } from "../../../actors/gateway/state_journal.ts";
import { orNull, removeIfThere } from "../../../actors/kernel/adapters/missing.ts";
import { channelManifests } from "../../registry.ts";
import { readConfigFile } from "../adapters/config_file.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { archiveFiles } from "../backup/adapters/archive_files.ts";
import { ArchiveWriter } from "../backup/adapters/archive_writer.ts";
import {
  ABOUT_ENTRY,
  type AboutBackup,
  BACKUP_VERSION,
  BackupError,
} from "../backup/archive_format.ts";
import { variablesIn, withoutSecrets } from "../backup/blank_secrets.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { VERSION } from "../version.ts";

/** Flags of the command. */
export interface BackupFlags extends LoadFlags {
  readonly withSecrets?: boolean | undefined;
  /** False for `--no-media`. */
  readonly media?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Makes the backup; 0 when it stands whole under its name. */
export async function backupCommand(
  file: string,
  flags: BackupFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const { withSecrets: hasSecrets = false, media: hasMedia = true } = flags;
  const path = resolve(file);
  await using archive = await ArchiveWriter.begin(path);
  const snapshot = await snapshotOf(loaded);
  await using _copy = {
    [Symbol.asyncDispose]: async () => {
      if (snapshot !== null) await removeIfThere(snapshot.journal);
    },
  };
  const about = await addAll(archive, loaded, { snapshot, hasSecrets, hasMedia });
  const bytes = await archive.finish();
  if (flags.json === true) {
    terminal.write(`${JSON.stringify({ file: path, bytes, ...about }, null, 2)}\n`);
  } else terminal.write(doneText(path, bytes, about));
  return 0;
}

/** Of the gateway that runs, else of what it left; null where there is no journal yet. */
async function snapshotOf({ locations }: LoadedConfig): Promise<Snapshot | null> {
  const world = systemWorld();
  const { stateFolder } = locations;
  const peer = await connectControl(stateFolder);
  if (peer !== null) return await askDoor(peer, snapshotRequest, {}, world.clock);
  const workspace = realFolderOr(locations.workspace);
  const { newId } = world;
  return await withIdleJournal(
    stateFolder,
    { world, command: "backup" },
    (journal) => takeSnapshot({ journal, stateFolder, workspace, newId }),
  );
}

interface Contents {
  readonly snapshot: Snapshot | null;
  readonly hasSecrets: boolean;
  readonly hasMedia: boolean;
}

async function addAll(
  archive: ArchiveWriter,
  { locations }: LoadedConfig,
  { snapshot, hasSecrets, hasMedia }: Contents,
): Promise<AboutBackup> {
  const { configFile } = locations;
  const text = await readConfigFile(configFile);
  const settings = parseConfigText(text ?? "{}", configFile);
  const kept = hasSecrets ? settings : withoutSecrets(settings, channelManifests);
  const about: AboutBackup = {
    version: BACKUP_VERSION,
    program: VERSION,
    madeAt: new Date(systemWorld().clock.now()).toISOString(),
    ...{ hasSecrets, hasMedia },
    variables: variablesIn(kept),
  };
  await archive.addText(ABOUT_ENTRY, `${JSON.stringify(about, null, 2)}\n`);
  if (text !== null) {
    const written = hasSecrets ? text : `${JSON.stringify(kept, null, 2)}\n`;
    await archive.addText("config/config.json", written);
  }
  if (snapshot !== null && !await archive.addFile("state/journal.sqlite", snapshot.journal)) {
    throw new BackupError(
      "Cannot back up: the copy of the journal has gone, perhaps by another backup; try again",
    );
  }
  const places = { ...locations, workspace: snapshot?.workspace ?? locations.workspace };
  for await (const { name, path, target } of archiveFiles(places, { hasSecrets, hasMedia })) {
    if (target !== null) await archive.addLink(name, target);
    else {
      const bytesMax = await bytesOf(path, name, snapshot);
      if (bytesMax > 0) await archive.addFile(name, path, bytesMax);
    }
  }
  return about;
}

/** Of a conversation only what belongs to the moment of the journal's copy. */
async function bytesOf(path: string, name: string, snapshot: Snapshot | null): Promise<number> {
  const isSession = snapshot !== null && dirname(name) === "workspace/sessions";
  if (!isSession) return Infinity;
  const bytes = snapshot.sessions[basename(name)];
  if (bytes === undefined) return 0; // it began later
  const info = await orNull(Deno.stat(path));
  // One that got shorter was replaced as a whole.
  return info !== null && info.size < bytes ? Infinity : bytes;
}

function doneText(path: string, bytes: number, about: AboutBackup): string {
  const { hasSecrets, hasMedia, variables } = about;
  const size = `${(bytes / 1_000_000).toFixed(1)} MB`;
  return [
    `Backed up to ${path} (${size}, readable by you alone)`,
    hasSecrets
      ? "It holds your secrets: keys, tokens and sign-ins. Keep it as you keep those."
      : "It holds no keys, tokens or sign-ins (--with-secrets adds them), but all conversations.",
    hasMedia ? null : "It holds no files that were sent (--no-media).",
    variables.length === 0
      ? null
      : `A restored copy needs these variables, which no backup holds: ${variables.join(", ")}`,
  ].filter((line) => line !== null).map((line) => `${line}\n`).join("");
}
