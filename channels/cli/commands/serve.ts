/**
 * `serve`: the OpenAI-compatible API alone, until it is asked to stop.
 * @module
 */

import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { LockedError, StartError } from "../../../actors/gateway/errors.ts";
import { Gateway } from "../../../actors/gateway/gateway.ts";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { localServers } from "../../../providers/adapters/local_probe.ts";
import { untilAskedToStop } from "../adapters/process.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { chatHandlers } from "../chat_requests.ts";
import { type LoadFlags, prepareGateway } from "../load.ts";
import { TerminalHub } from "../terminal_hub.ts";
import { VERSION } from "../version.ts";

/** Flags of the command; each stands for the setting of its name in section `api`. */
export interface ServeFlags extends LoadFlags {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
}

/** Serves the API; resolves with the exit code. */
export async function serveCommand(flags: ServeFlags, terminal: Terminal): Promise<number> {
  const print = (line: string) => terminal.write(`${line}\n`);
  const stopping = untilAskedToStop();
  using prepared = await prepareGateway(flags, terminal);
  const loaded = withFlags(prepared.loaded, flags);
  print(`Troupe ${VERSION}`);
  print(`Config: ${loaded.locations.configFile}`);
  const world = systemWorld();
  const hub = new TerminalHub();
  const { workspace } = loaded.locations;
  try {
    await using _gateway = await Gateway.start({
      ...{ loaded, version: VERSION, world, print },
      localChannels: [hub.local],
      isWhole: true,
      isApiOnly: true,
      command: "serve",
      handlers: chatHandlers({ hub, workspace, newId: world.newId }),
      findLocalServers: localServers,
    });
    print("Ready");
    print(`Stopping (${await stopping}): running turns get a moment to finish`);
  } catch (error) {
    if (!(error instanceof LockedError) || error.holder?.command !== "gateway") throw error;
    const text = "the gateway serves the API as well: set api.enabled in its configuration";
    throw new StartError(error.code, `${error.message}; ${text}`, { cause: error });
  }
  print("Stopped");
  return 0;
}

function withFlags(loaded: LoadedConfig, { host, port, timeout }: ServeFlags): LoadedConfig {
  const { config } = loaded;
  const api = {
    ...config.api,
    enabled: true,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(timeout !== undefined && { timeout }),
  };
  const channels = { ...config.channels, enabled: {} }; // nor are their rights missed
  return { ...loaded, config: { ...config, api, channels } };
}
