/**
 * The configuration file while it is being set up: what is there, and what would become of it.
 * Nothing that cannot be loaded is ever written.
 * @module
 */

import { ConfigError } from "../../../actors/config/errors.ts";
import { loadConfig, type LoadedConfig } from "../../../actors/config/load_config.ts";
import { locateConfig } from "../../../actors/config/locations.ts";
import type { ConfigSource } from "../../../actors/config/source.ts";
import { channelManifests } from "../../registry.ts";
import { changeSettings, type SettingChange } from "../section_file.ts";

/** What a configuration file holds. */
export type ConfigState =
  | { readonly state: "none" }
  | { readonly state: "usable"; readonly draft: ConfigDraft }
  /** It must not be touched without asking. `reason` has one line for each mistake. */
  | { readonly state: "broken"; readonly reason: string };

/** A file that loads, and what was changed in it. */
export interface ConfigDraft {
  readonly text: string;
  readonly loaded: LoadedConfig;
  readonly changes: readonly SettingChange[];
}

/** Looks at the file, and changes nothing. */
export async function readConfigState(
  source: ConfigSource,
  configPath: string | undefined,
): Promise<ConfigState> {
  const { configFile } = locateConfig(source, configPath);
  try {
    const text = await source.readTextFile(configFile);
    if (text === null) return { state: "none" };
    const loaded = await load(source, configFile, text);
    return { state: "usable", draft: { text, loaded, changes: [] } };
  } catch (error) {
    if (error instanceof ConfigError) return { state: "broken", reason: error.message };
    // What cannot be read at all: `loadConfig` says it in the words of all commands.
    const reason = await load(source, configFile).then(() => error, (refusal) => refusal);
    if (reason instanceof ConfigError) return { state: "broken", reason: reason.message };
    throw error;
  }
}

/**
 * The file with settings changed, loaded as the gateway will load it.
 *
 * @param text what stands in the file now; null when there is none
 * @throws {ConfigError} when it could not be used like that
 */
export async function draftConfig(
  source: ConfigSource,
  { configFile, text }: { readonly configFile: string; readonly text: string | null },
  changes: readonly SettingChange[],
): Promise<ConfigDraft> {
  const changed = changeSettings(text, configFile, changes);
  return { text: changed, loaded: await load(source, configFile, changed), changes };
}

async function load(
  source: ConfigSource,
  configFile: string,
  text?: string,
): Promise<LoadedConfig> {
  return await loadConfig({
    source: text === undefined ? source : {
      ...source,
      readTextFile: (path) =>
        path === configFile ? Promise.resolve(text) : source.readTextFile(path),
    },
    manifests: channelManifests,
    configPath: configFile,
  });
}
