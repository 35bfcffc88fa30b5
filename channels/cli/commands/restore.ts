/**
 * `restore`: puts a backup into a config home, fenced, so that the copy cannot answer or send what
 * the original does; `restore --unfence` lifts the fence.
 * @module
 */

import { basename, dirname, join, resolve } from "node:path";
import { systemConfigSource } from "../../../actors/config/adapters/system_source.ts";
import { parseConfigText, repeatedKeys } from "../../../actors/config/json_text.ts";
import { type ConfigPlace, locate, locateConfig } from "../../../actors/config/locations.ts";
import { own } from "../../../actors/config/tree.ts";
import { connectControl } from "../../../actors/gateway/adapters/control_socket.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import {
  liftFence,
  putFence,
  readFence,
} from "../../../actors/gateway/backup/adapters/fence_file.ts";
import { journalPath } from "../../../actors/gateway/state_journal.ts";
import { type SettledRows, settleRows } from "../../../actors/journal/adapters/sqlite_settle.ts";
import { exists, orNull } from "../../../actors/kernel/adapters/missing.ts";
import { DiskTextFiles } from "../../../actors/kernel/adapters/text_files.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { unpackBackup } from "../backup/adapters/archive_reader.ts";
import { hasContents, swapHome } from "../backup/adapters/home_swap.ts";
import { type AboutBackup, BackupError } from "../backup/archive_format.ts";
import { passOverDueJobs } from "../backup/due_jobs.ts";
import { changeSettings } from "../section_file.ts";

/** Flags of the command. */
export interface RestoreFlags {
  readonly config?: string | undefined;
  /** Restores although there is a home, which is set aside. */
  readonly force?: boolean | undefined;
  readonly unfence?: boolean | undefined;
}

/** Where in an unpacked backup the jobs are. */
const JOBS_FOLDER = "cron";
const JOBS_FILE = "jobs.json";

/** Restores `file`, or lifts the fence; 0 when that is done. */
export async function restoreCommand(
  file: string | undefined,
  flags: RestoreFlags,
  terminal: Terminal,
): Promise<number> {
  const place = locateConfig(systemConfigSource(), flags.config);
  if (flags.unfence === true) return await unfence(place, terminal);
  if (file === undefined) {
    terminal.writeError("Error: Cannot restore: name the backup, or say --unfence\n");
    return 2;
  }
  return await restore(resolve(file), place, flags.force ?? false, terminal);
}

async function restore(
  file: string,
  place: ConfigPlace,
  isForced: boolean,
  terminal: Terminal,
): Promise<number> {
  const home = dirname(place.configFile);
  if (await hasContents(home) && !isForced) {
    throw new BackupError(
      `Cannot restore into "${home}": something is there; --force sets it aside first, or choose ` +
        "another place with TROUPE_HOME or --config",
    );
  }
  if (!await exists(file)) throw new BackupError(`Cannot restore "${file}": there is no such file`);
  const { made, aside } = await swapHome(home, async (folder) => {
    const about = await unpackBackup(file, folder);
    return { about, settled: await prepare(folder, place, about) };
  });
  terminal.write(doneText({ home, aside, ...made }));
  return 0;
}

/** Makes an unpacked backup a config home: fenced, settled, with its own workspace. */
async function prepare(
  folder: string,
  { configFile, homeFolder }: ConfigPlace,
  about: AboutBackup,
): Promise<SettledRows> {
  const config = join(folder, "config", "config.json");
  const text = await orNull(Deno.readTextFile(config));
  if (text !== null) {
    const written = parseConfigText(text, config);
    const workspace = own(own(own(written, "agents"), "defaults"), "workspace");
    const isElsewhere = workspace !== undefined || dirname(configFile) !== homeFolder;
    const change = { path: ["agents", "defaults", "workspace"], value: "workspace" };
    // Where a key stands twice it cannot be changed in place; the last one counts.
    const clean = repeatedKeys(text).length === 0 ? text : `${JSON.stringify(written, null, 2)}\n`;
    const settings = isElsewhere ? changeSettings(clean, config, [change]) : text;
    await new DiskTextFiles(folder).replace(basename(configFile), settings);
  }
  await orNull(Deno.remove(join(folder, "config"), { recursive: true }));
  await Deno.mkdir(join(folder, "workspace"), { recursive: true, mode: 0o700 });
  const state = join(folder, "state");
  await Deno.mkdir(state, { recursive: true, mode: 0o700 });
  const nowMs = systemWorld().clock.now();
  const restoredAt = new Date(nowMs).toISOString();
  await putFence(state, { backedUpAt: about.madeAt, restoredAt });
  const reason = `held: restored from a backup of ${about.madeAt}; the original may have sent it`;
  const journal = journalPath(state);
  return await exists(journal) ? settleRows(journal, reason, nowMs) : { inbounds: 0, outbounds: 0 };
}

async function unfence(place: ConfigPlace, terminal: Terminal): Promise<number> {
  const { stateFolder, configFolder } = locate(place, "");
  const fence = await readFence(stateFolder);
  if (fence === null) {
    terminal.write("Nothing is fenced here\n");
    return 0;
  }
  const jobs = new DiskTextFiles(join(configFolder, "workspace", JOBS_FOLDER));
  const text = await jobs.read(JOBS_FILE);
  const passed = text === null ? null : passOverDueJobs(text, systemWorld().clock.now());
  if (passed !== null && passed.text !== text) await jobs.replace(JOBS_FILE, passed.text);
  await liftFence(stateFolder);
  terminal.write("The fence is lifted.\n");
  for (const name of passed?.paused ?? []) {
    terminal.write(
      `Job "${name}" was due meanwhile, once: it is paused; the original may have run it\n`,
    );
  }
  if (await connectControl(stateFolder).then((peer) => peer?.connection.close() ?? null) === null) {
    terminal.write("The next start of the gateway connects its channels.\n");
  } else terminal.write("Restart the gateway: the one that runs stays fenced.\n");
  return 0;
}

function doneText(
  { home, about, settled, aside }: {
    readonly home: string;
    readonly about: AboutBackup;
    readonly settled: SettledRows;
    readonly aside: string | null;
  },
): string {
  const { inbounds, outbounds } = settled;
  return [
    `Restored the backup of ${about.madeAt} into ${home}`,
    aside === null ? null : `What was there is now ${aside}`,
    "It is fenced: until `restore --unfence`, no channel is on, nothing is answered or sent, and no " +
    "job runs, as the original may still do so.",
    inbounds + outbounds === 0
      ? null
      : `Held for you to decide about (failed, retry, drop): ${inbounds} messages without an ` +
        `answer, ${outbounds} that were not sent`,
    about.hasSecrets ? null : "It came without keys, tokens and sign-ins.",
    about.variables.length === 0
      ? null
      : `Its configuration needs these variables: ${about.variables.join(", ")}`,
  ].filter((line) => line !== null).map((line) => `${line}\n`).join("");
}
