/**
 * `migrate`: settings, conversations, memory, jobs and skills of another assistant.
 * @module
 */

import { systemConfigSource } from "../../../actors/config/adapters/system_source.ts";
import { ConfigError } from "../../../actors/config/errors.ts";
import { parseConfigText } from "../../../actors/config/json_text.ts";
import {
  absolutePath,
  type ConfigPlace,
  locate,
  locateConfig,
  type Locations,
} from "../../../actors/config/locations.ts";
import type { ConfigSource } from "../../../actors/config/source.ts";
import { mergeObjects } from "../../../actors/config/tree.ts";
import { connectControl } from "../../../actors/gateway/adapters/control_socket.ts";
import { configureLogging } from "../../../actors/gateway/adapters/logging.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { takeLocks } from "../../../actors/gateway/locks.ts";
import { dirname, join } from "node:path";
import { replaceConfigFile } from "../adapters/config_file.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { SourceTree } from "../migrate/adapters/source_tree.ts";
import { realPlace, TargetFiles } from "../migrate/adapters/target_files.ts";
import { carry } from "../migrate/carry.ts";
import { planFromNanobot } from "../migrate/nanobot_source.ts";
import { OPENCLAW_CONFIGS, planFromOpenClaw } from "../migrate/openclaw_source.ts";
import { planForNanobot } from "../migrate/nanobot_target.ts";
import { type Assistant, MigrateError, type Migration, type Plan } from "../migrate/plan.ts";
import { migrationText } from "../migrate/report_text.ts";
import { mergeSettings, valueAt } from "../migrate/settings.ts";
import { draftConfig, readConfigState } from "../onboarding/config_draft.ts";

/** Flags of the command. */
export interface MigrateFlags {
  readonly from?: Assistant | undefined;
  /** Carry ours to this one instead; the folder is then the target. */
  readonly to?: "nanobot" | undefined;
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly config?: string | undefined;
  readonly workspace?: string | undefined;
}

/** Carries what can be carried; 0, or 1 when something was taken or could not be read. */
export async function migrateCommand(
  folder: string,
  flags: MigrateFlags,
  terminal: Terminal,
): Promise<number> {
  configureLogging({ write: () => {}, isVerbose: false, hasColors: false, secrets: () => [] });
  const source = systemConfigSource();
  const place = absolutePath(folder, source.cwd, source);
  const here = await targetOf(source, flags);
  const migration = flags.to === "nanobot"
    ? await giveToNanobot(place, here, flags)
    : await takeOver(await openSource(place), here, flags);
  terminal.write(
    flags.json === true ? `${JSON.stringify(migration, null, 2)}\n` : migrationText(migration),
  );
  return migration.left.every(({ reason }) => reason === "foreign") ? 0 : 1;
}

async function takeOver(
  tree: SourceTree,
  target: Target,
  flags: MigrateFlags,
): Promise<Migration> {
  const from = await assistantOf(tree, flags.from);
  await refuseSameFolders(tree.root, target.locations);
  const reading = { source: target.source, nowMs: systemWorld().clock.now() };
  const plan = from === "openclaw"
    ? await planFromOpenClaw(tree, reading)
    : await planFromNanobot(tree, reading);
  // It may lie elsewhere: where it is ours already, there is nothing to carry.
  if (plan.workspace !== null) await refuseSameFolders(plan.workspace, target.locations);
  const isDryRun = flags.dryRun === true;
  using _locks = await locksOf(target, isDryRun);
  const done = await carryAll(plan, target, isDryRun);
  return { from, to: "troupe", source: tree.root, isDryRun, ...done };
}

async function giveToNanobot(
  folder: string,
  { text, locations }: Target,
  flags: MigrateFlags,
): Promise<Migration> {
  const home = await realPlace(folder);
  await refuseSameFolders(home, locations);
  const { configFile, workspace } = locations;
  const target = { config: join(home, "config.json"), workspace: join(home, "workspace") };
  const isDryRun = flags.dryRun === true;
  using _locks = await locksOf({ locations }, isDryRun);
  const written = text === null ? {} : parseConfigText(text, configFile);
  const plan = await planForNanobot({ written, workspace, configFile }, {
    workspace: target.workspace,
    nowMs: systemWorld().clock.now(),
  });
  const { carried, there, left } = await carry(plan, {
    target: new TargetFiles(target.workspace),
    isDryRun,
  });
  return {
    ...{ from: "troupe", to: "nanobot", source: workspace, target, isDryRun, carried, there },
    left: [...plan.left, ...left],
    notes: isDryRun ? await gatewayNote(locations.stateFolder) : plan.notes,
  };
}

/** A dry run writes nothing, not even who has the lock. */
async function locksOf(
  { locations }: Pick<Target, "locations">,
  isDryRun: boolean,
): Promise<Disposable | null> {
  if (isDryRun) return null;
  return await takeLocks(locations, { clock: systemWorld().clock, command: "migrate" });
}

/** Where everything goes. */
interface Target {
  readonly source: ConfigSource;
  readonly locations: Locations;
  /** The configuration file; null when there is none. */
  readonly text: string | null;
  /** A workspace that the configuration does not name yet. */
  readonly namedWorkspace: string | null;
}

/**
 * A file that is sound, but names variables that are not set here: it may be read elsewhere.
 *
 * @throws {ConfigError} when something else is wrong with it
 */
async function targetWithoutVariables(
  source: ConfigSource,
  place: ConfigPlace,
  named: string | null,
): Promise<Target> {
  const { configFile, homeFolder } = place;
  const text = await source.readTextFile(configFile);
  try {
    await draftConfig(source, { configFile, text }, []);
  } catch (error) {
    const isOnlyThat = error instanceof ConfigError &&
      error.faults.every(({ code }) => code === "config_variable_missing");
    if (!isOnlyThat) throw error;
  }
  const written = parseConfigText(text ?? "{}", configFile);
  const configured = valueAt(written, ["agents", "defaults", "workspace"]);
  const own = typeof configured === "string" && configured !== ""
    ? absolutePath(configured, dirname(configFile), source)
    : join(homeFolder, "workspace");
  const locations = locate(place, named ?? own);
  return { source, locations, text, namedWorkspace: named === own ? null : named };
}

async function openSource(path: string): Promise<SourceTree> {
  const tree = await SourceTree.open(path);
  if (tree !== null) return tree;
  throw new MigrateError(
    `Cannot migrate "${path}": there is no such folder; name ~/.nanobot or ~/.openclaw`,
  );
}

async function assistantOf(tree: SourceTree, told: Assistant | undefined): Promise<Assistant> {
  if (told !== undefined) return told;
  for (const name of [...OPENCLAW_CONFIGS, "agents"]) {
    if (await tree.has(name)) return "openclaw";
  }
  if (await tree.has("config.json") || await tree.has("workspace")) return "nanobot";
  throw new MigrateError(
    `Cannot migrate "${tree.root}": it looks like no folder of nanobot or OpenClaw; name the one with their configuration`,
  );
}

async function targetOf(source: ConfigSource, flags: MigrateFlags): Promise<Target> {
  const place = locateConfig(source, flags.config);
  const named = flags.workspace === undefined
    ? null
    : absolutePath(flags.workspace, source.cwd, source);
  const state = await readConfigState(source, place.configFile);
  if (state.state === "broken") {
    return await targetWithoutVariables(source, place, named);
  }
  if (state.state === "none") {
    const locations = locate(place, named ?? join(place.homeFolder, "workspace"));
    return { source, locations, text: null, namedWorkspace: named };
  }
  const { locations } = state.draft.loaded;
  return {
    source,
    locations: { ...locations, workspace: named ?? locations.workspace },
    text: state.draft.text,
    namedWorkspace: named === locations.workspace ? null : named,
  };
}

/** What is used as it stands needs no carrying, and a folder is not copied into itself. */
async function refuseSameFolders(
  root: string,
  { configFolder, workspace }: Locations,
): Promise<void> {
  for (const path of [await realPlace(configFolder), await realPlace(workspace)]) {
    if (!isInside(path, root) && !isInside(root, path)) continue;
    throw new MigrateError(
      `Cannot migrate "${root}": the target ${path} lies in it, or around it; ` +
        "name another one with --config and --workspace",
    );
  }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(join(folder, "/"));
}

async function carryAll(
  plan: Plan,
  target: Target,
  isDryRun: boolean,
): Promise<Omit<Migration, "from" | "to" | "source" | "isDryRun">> {
  const { source, locations: { configFile, workspace, stateFolder }, text } = target;
  const settings = target.namedWorkspace === null ? plan.settings : mergeObjects(plan.settings, {
    agents: { defaults: { workspace: target.namedWorkspace } },
  });
  const present = text === null ? {} : parseConfigText(text, configFile);
  const merged = await mergeSettings(source, { configFile, text, present }, settings);
  const { carried, there, left } = await carry(plan, {
    target: new TargetFiles(workspace),
    isDryRun,
  });
  // Last: a configuration that is there says that the rest is there.
  if (merged.text !== null && !isDryRun) await replaceConfigFile(configFile, merged.text);
  const part = "config" as const;
  return {
    target: { config: configFile, workspace },
    carried: [...merged.added.map((what) => ({ part, what })), ...carried],
    there: [...merged.there.map((what) => ({ part, what })), ...there],
    left: [...plan.left, ...merged.left, ...left],
    notes: [...plan.notes, ...merged.notes, ...isDryRun ? await gatewayNote(stateFolder) : []],
  };
}

async function gatewayNote(stateFolder: string): Promise<readonly string[]> {
  const peer = await connectControl(stateFolder);
  if (peer === null) return [];
  peer.connection.close();
  return ["A gateway runs here: stop it before you migrate"];
}
