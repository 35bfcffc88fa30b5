/**
 * `gateway`: runs everything until it is asked to stop.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { Gateway } from "../../../actors/gateway/gateway.ts";
import { asError } from "../../../actors/kernel/errors.ts";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { reportUncaught, untilAskedToStop } from "../adapters/process.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { chatHandlers } from "../chat_requests.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { TerminalHub } from "../terminal_hub.ts";
import { VERSION } from "../version.ts";

const logger = getLogger(["troupe", "gateway", "process"]);

/** Flags of the command. */
export interface GatewayFlags extends LoadFlags {
  readonly port?: number | undefined;
}

/** Runs the gateway; resolves with the exit code. */
export async function gatewayCommand(flags: GatewayFlags, terminal: Terminal): Promise<number> {
  const print = (line: string) => terminal.write(`${line}\n`);
  const stopping = untilAskedToStop();
  const loaded = withPort(await loadAndPrepare(flags, terminal, { logs: true }), flags.port);
  reportUncaught((thrown) => {
    const error = asError(thrown);
    logger.error("Nobody caught an error, going on: {reason}", { reason: error.message, error });
  });
  print(`Troupe ${VERSION}`);
  print(`Config: ${loaded.locations.configFile}`);
  const world = systemWorld();
  const hub = new TerminalHub();
  const { workspace } = loaded.locations;
  {
    await using _gateway = await Gateway.start({
      loaded,
      version: VERSION,
      world,
      print,
      localChannels: [hub.local],
      isWhole: true,
      command: "gateway",
      handlers: chatHandlers({ hub, workspace, newId: world.newId }),
    });
    print("Ready");
    print(`Stopping (${await stopping}): running turns get a moment to finish`);
  }
  print("Stopped");
  return 0;
}

function withPort(loaded: LoadedConfig, port: number | undefined): LoadedConfig {
  if (port === undefined) return loaded;
  const { config } = loaded;
  return { ...loaded, config: { ...config, gateway: { ...config.gateway, port } } };
}
