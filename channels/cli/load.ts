/**
 * The first steps of every command that runs something: read the configuration, send logs where
 * they belong, take secrets out of the environment.
 * @module
 */

import { systemConfigSource } from "../../actors/config/adapters/system_source.ts";
import { loadConfig, type LoadedConfig } from "../../actors/config/load_config.ts";
import { longestFirst } from "../../actors/config/secrets.ts";
import {
  bypassProxyForLoopback,
  removeFromEnvironment,
} from "../../actors/gateway/adapters/environment.ts";
import { LogFiles, logFolder } from "../../actors/gateway/adapters/log_files.ts";
import { configureLogging } from "../../actors/gateway/adapters/logging.ts";
import { channelManifests } from "../registry.ts";
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
  return (await prepare(flags, terminal, { logs, isKept: false })).loaded;
}

/** What a gateway starts with; disposing closes its log. */
export interface PreparedGateway extends Disposable {
  readonly loaded: LoadedConfig;
  /**
   * Reads the configuration again, with the environment of the start.
   *
   * @throws {ConfigError} with one line for each mistake
   */
  readonly reload: () => Promise<LoadedConfig>;
}

/** The same for the gateway, which keeps its log in a file, and reads the configuration again. */
export function prepareGateway(flags: LoadFlags, terminal: Terminal): Promise<PreparedGateway> {
  return prepare(flags, terminal, { logs: true, isKept: true });
}

interface Logs {
  readonly logs: boolean;
  /** The log stands in a file, too. */
  readonly isKept: boolean;
}

async function prepare(
  flags: LoadFlags,
  terminal: Terminal,
  { logs, isKept }: Logs,
): Promise<PreparedGateway> {
  const source = systemConfigSource(); // a copy: secrets are taken out of the environment below
  const read = () =>
    loadConfig({
      source,
      manifests: channelManifests,
      configPath: flags.config,
      workspace: flags.workspace,
    });
  const loaded = await read();
  let secrets = loaded.secrets.values;
  const files = isKept ? new LogFiles(logFolder(loaded.locations.stateFolder)) : undefined;
  configureLogging({
    write: logs ? terminal.writeError : () => {},
    keep: files && ((line) => files.write(line)),
    isVerbose: flags.verbose ?? false,
    hasColors: terminal.hasColors,
    secrets: () => secrets,
  });
  for (const warning of loaded.warnings) terminal.writeError(`Warning: ${warning}\n`);
  removeFromEnvironment(loaded.secrets.variables);
  bypassProxyForLoopback();
  return {
    loaded,
    reload: async () => {
      const again = await read();
      // What was secret once stays so: old keys may still be in use, and in what is logged.
      secrets = longestFirst([...secrets, ...again.secrets.values]);
      removeFromEnvironment(again.secrets.variables);
      return again;
    },
    [Symbol.dispose]: () => files?.[Symbol.dispose](),
  };
}

/** The configuration with another port of the gateway, where one was asked for. */
export function withPort(loaded: LoadedConfig, port: number | undefined): LoadedConfig {
  if (port === undefined) return loaded;
  const { config } = loaded;
  return { ...loaded, config: { ...config, gateway: { ...config.gateway, port } } };
}
