/**
 * `status`: how the gateway is, or what it will find when it starts.
 * @module
 */

import { systemConfigSource } from "../../../actors/config/adapters/system_source.ts";
import { ConfigError } from "../../../actors/config/errors.ts";
import { locate, locateConfig } from "../../../actors/config/locations.ts";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { connectControl } from "../../../actors/gateway/adapters/control_socket.ts";
import { readFence } from "../../../actors/gateway/backup/adapters/fence_file.ts";
import { hasFile } from "../../../actors/gateway/adapters/local_folders.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { askDoor } from "../../../actors/gateway/control_client.ts";
import { type GatewayStatus, statusRequest } from "../../../actors/gateway/control_requests.ts";
import { LockedError } from "../../../actors/gateway/errors.ts";
import { queueDepths } from "../../../actors/gateway/health.ts";
import { withIdleJournal } from "../../../actors/gateway/state_journal.ts";
import { chooseModels, modelsLine, problemText } from "../../../providers/model_choice.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { EXIT_DONE } from "../exit_codes.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { readyProviders } from "../provider_text.ts";
import {
  type IdleStatus,
  idleText,
  runningText,
  type SettingsStatus,
  settingsText,
} from "../status_text.ts";
import { knownProviders } from "./providers.ts";

/** Flags of the command. */
export interface StatusFlags extends LoadFlags {
  readonly json?: boolean | undefined;
}

/** Says how things are; 0 whether a gateway runs or not. */
export async function statusCommand(flags: StatusFlags, terminal: Terminal): Promise<number> {
  let loaded: LoadedConfig;
  try {
    loaded = await loadAndPrepare(flags, terminal, { logs: false });
  } catch (error) {
    // A gateway that runs goes on with what it had, and tells what is wrong with the file.
    // Where nobody can be asked, the file's own fault says more than that.
    const running = error instanceof ConfigError
      ? await askAt(flags.config).catch(() => null)
      : null;
    if (running === null) throw error;
    const status = { running: true, ...running };
    const shown = flags.json === true ? JSON.stringify(status, null, 2) : runningText(running);
    terminal.write(`${shown.trimEnd()}\n`);
    return EXIT_DONE;
  }
  const running = await askRunning(loaded);
  const idle = running === null ? await lookAround(loaded) : null;
  const settings = await settingsOf(loaded);
  if (flags.json === true) {
    const status = { running: running !== null, ...(running ?? idle), ...settings };
    terminal.write(`${JSON.stringify(status, null, 2)}\n`);
  } else {
    if (running !== null) terminal.write(runningText(running));
    else if (idle !== null) terminal.write(idleText(idle));
    terminal.write(settingsText(settings));
  }
  return EXIT_DONE;
}

/** What the configuration says, whether a gateway runs or not. */
async function settingsOf(loaded: LoadedConfig): Promise<SettingsStatus> {
  const { providers } = await knownProviders(loaded);
  const { config: { owners }, overrides } = loaded;
  return { providers: readyProviders(providers), owners, overrides };
}

/** The same where the configuration cannot be read. */
async function askAt(configPath: string | undefined): Promise<GatewayStatus | null> {
  const place = locateConfig(systemConfigSource(), configPath);
  return await askRunning({ locations: locate(place, "") });
}

/** How the gateway is that runs on this state folder; null when none does. */
export async function askRunning(
  { locations }: Pick<LoadedConfig, "locations">,
): Promise<GatewayStatus | null> {
  const peer = await connectControl(locations.stateFolder);
  return peer === null ? null : await askDoor(peer, statusRequest, {}, systemWorld().clock);
}

async function lookAround({ config, locations }: LoadedConfig): Promise<IdleStatus> {
  const { configFile, workspace, stateFolder } = locations;
  const { queue, lockedBy } = await lookIntoJournal(stateFolder);
  return {
    configFile,
    hasConfigFile: await hasFile(configFile),
    workspace,
    hasWorkspace: await hasFile(workspace),
    stateFolder,
    model: modelLine(config),
    channels: Object.keys(config.channels.enabled),
    queue,
    lockedBy,
    backedUpAt: (await readFence(stateFolder))?.backedUpAt ?? null,
  };
}

async function lookIntoJournal(
  stateFolder: string,
): Promise<Pick<IdleStatus, "queue" | "lockedBy">> {
  try {
    const queue = await withIdleJournal(
      stateFolder,
      { world: systemWorld(), command: "status" },
      async (journal) => queueDepths(await journal.counts()),
    );
    return { queue, lockedBy: null };
  } catch (error) {
    if (error instanceof LockedError) return { queue: null, lockedBy: error.message };
    throw error;
  }
}

function modelLine({ agents, providers }: LoadedConfig["config"]): string {
  const choice = chooseModels(agents.defaults, providers);
  switch (choice.state) {
    case "problem":
      return `Model: ${problemText(choice)}`;
    case "unconfigured":
      return `Model: ${choice.missing ?? "no provider is configured"}`;
    default:
      return modelsLine(choice);
  }
}
