/**
 * The first steps of every command that runs something: read the configuration, send logs where
 * they belong, take secrets out of the environment.
 * @module
 */

import { systemConfigSource } from "../../actors/config/adapters/system_source.ts";
import { loadConfig, type LoadedConfig } from "../../actors/config/load_config.ts";
import {
  bypassProxyForLoopback,
  removeFromEnvironment,
} from "../../actors/gateway/adapters/environment.ts";
import { configureLogging } from "../../actors/gateway/adapters/logging.ts";
import { channelEntries } from "../registry.ts";
import type { Terminal } from "./adapters/terminal.ts";

/** Flags that these commands share. */
export interface LoadFlags {
  readonly config?: string | undefined;
  readonly workspace?: string | undefined;
  readonly verbose?: boolean | undefined;
}

/**
 * Reads the configuration and makes this process ready for it. Warnings go to standard error.
 *
 * @throws {ConfigError} with one line for each mistake
 */
export async function loadAndPrepare(
  flags: LoadFlags,
  terminal: Terminal,
  { logs }: { readonly logs: boolean },
): Promise<LoadedConfig> {
  const loaded = await loadConfig({
    source: systemConfigSource(),
    manifests: channelEntries.map(({ manifest }) => manifest),
    configPath: flags.config,
    workspace: flags.workspace,
  });
  configureLogging({
    write: logs ? terminal.writeError : () => {},
    isVerbose: flags.verbose ?? false,
    hasColors: terminal.hasColors,
    secrets: loaded.secrets.values,
  });
  for (const warning of loaded.warnings) terminal.writeError(`Warning: ${warning}\n`);
  removeFromEnvironment(loaded.secrets.variables);
  bypassProxyForLoopback();
  return loaded;
}
