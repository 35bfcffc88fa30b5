/**
 * `config`: the configuration file looked at, checked, and changed.
 * @module
 */

import { systemConfigSource } from "../../../actors/config/adapters/system_source.ts";
import { configShape } from "../../../actors/config/config_shape.ts";
import { ConfigError } from "../../../actors/config/errors.ts";
import { configJsonSchema } from "../../../actors/config/json_schema.ts";
import { parseConfigText } from "../../../actors/config/json_text.ts";
import { type KeyPath, showPath } from "../../../actors/config/key_path.ts";
import { loadConfig, type LoadedConfig } from "../../../actors/config/load_config.ts";
import { locate, locateConfig } from "../../../actors/config/locations.ts";
import { isHiddenKey } from "../../../actors/config/secrets.ts";
import { findSetting, type SettingLookup } from "../../../actors/config/setting_path.ts";
import { shownAt, shownSettings } from "../../../actors/config/shown_settings.ts";
import { exists } from "../../../actors/kernel/adapters/missing.ts";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import { channelManifests } from "../../registry.ts";
import { changeConfigFile, readConfigFile } from "../adapters/config_file.ts";
import { readAll } from "../adapters/line_input.ts";
import { ask, canAsk } from "../adapters/prompt.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_NOT_BEGUN } from "../exit_codes.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { draftConfig } from "../onboarding/config_draft.ts";
import { settingValue } from "../setting_value.ts";

/** Flags of the commands. */
export interface ConfigFlags extends Pick<LoadFlags, "config"> {
  readonly json?: boolean | undefined;
}

/** A setting and what it shall be, as they were typed. */
export interface SettingWish {
  readonly key: string;
  readonly value: string;
}

/** `config set <key> -`: the value is asked for, or comes from a pipe. */
const FROM_INPUT = "-";

/** Prints a setting, or all; 1 where nothing is set, 2 for a key that there is not. */
export async function getCommand(
  key: string | undefined,
  flags: ConfigFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const settings = shownSettings(loaded, channelManifests);
  const found: SettingLookup = key === undefined
    ? { state: "found", path: [], shape: configShape(channelManifests) }
    : findSetting(key, configShape(channelManifests), settings);
  if (found.state === "unknown") return refuse(found.problem, terminal);
  const value = shownAt(settings, found.path, channelManifests);
  if (value === undefined) {
    terminal.writeError(`Error: Cannot show ${showPath(found.path)}: nothing is set there\n`);
    return EXIT_FAILED;
  }
  const isPlain = typeof value === "string" && flags.json !== true;
  terminal.write(`${isPlain ? value : JSON.stringify(value, null, 2)}\n`);
  return EXIT_DONE;
}

/**
 * Changes a setting in the file, which keeps its layout; 2 when the file could not be used then.
 *
 * @throws {ConfigError}
 */
export async function setCommand(
  { key, value: typed }: SettingWish,
  { config }: ConfigFlags,
  terminal: Terminal,
): Promise<number> {
  const source = systemConfigSource();
  const { configFile } = locateConfig(source, config);
  const text = await readConfigFile(configFile);
  const present = text === null ? {} : parseConfigText(text, configFile);
  const found = findSetting(key, configShape(channelManifests), present);
  if (found.state === "unknown") return refuse(found.problem, terminal);
  const { path, shape } = found;
  const name = showPath(path);
  if (path.some((part) => typeof part === "number")) {
    return refuse(`Cannot set ${name}: a list is set as a whole`, terminal);
  }
  const wanted = settingValue(typed === FROM_INPUT ? await readValue(name) : typed, shape);
  if (wanted.state === "wrong") return refuse(`Cannot set ${name}: ${wanted.remedy}`, terminal);
  const change = { path: path.map(String), value: wanted.value };
  const draft = await changeConfigFile(
    configFile,
    (now) => draftConfig(source, { configFile, text: now }, [change]),
  );
  for (const warning of draft.loaded.warnings) terminal.writeError(`Warning: ${warning}\n`);
  const above = draft.loaded.overrides.find((override) => override.key === name);
  if (above !== undefined) {
    terminal.writeError(`Warning: ${above.variable} in the environment counts before the file\n`);
  }
  terminal.write(`Set ${name} to ${shown(wanted.value, path)} in ${configFile}\n`);
  return EXIT_DONE;
}

/** Says what is wrong and what is odd; 2 when the file cannot be used. */
export async function checkCommand(flags: ConfigFlags, terminal: Terminal): Promise<number> {
  const source = systemConfigSource();
  const { configFile } = locateConfig(source, flags.config);
  try {
    const loaded = await loadConfig({
      source,
      manifests: channelManifests,
      configPath: flags.config,
    });
    const hasFile = await source.readTextFile(configFile) !== null;
    if (flags.json === true) terminal.write(json(checkReport(configFile, hasFile, loaded)));
    else terminal.write(checkText(configFile, hasFile, loaded));
    return EXIT_DONE;
  } catch (error) {
    if (flags.json !== true || !(error instanceof ConfigError)) throw error;
    const faults = error.faults.map(({ code, key, line }) => ({ code, key, line }));
    terminal.write(json({ file: configFile, usable: false, faults, warnings: [], overrides: [] }));
    return EXIT_NOT_BEGUN;
  }
}

/** Prints where the file is, whether it is there or not. */
export async function pathCommand(flags: ConfigFlags, terminal: Terminal): Promise<number> {
  const source = systemConfigSource();
  const place = locateConfig(source, flags.config);
  if (flags.json !== true) {
    terminal.write(`${place.configFile}\n`);
    return EXIT_DONE;
  }
  const { workspace: _workspace, ...places } = locate(place, "");
  const isThere = await exists(place.configFile);
  terminal.write(json({ ...places, exists: isThere }));
  return EXIT_DONE;
}

/** Prints the schema, with what each key is for. */
export async function schemaCommand(terminal: Terminal): Promise<number> {
  const { loadSettingTexts } = await import("../../setting_texts.ts");
  terminal.write(json(configJsonSchema(channelManifests, await loadSettingTexts())));
  return EXIT_DONE;
}

async function readValue(name: string): Promise<string> {
  if (canAsk()) return await ask(`${name}: `, { isSecret: true });
  return (await readAll()).replace(/\r?\n$/, "");
}

function shown(value: JsonValue, path: KeyPath): string {
  const isHidden = isHiddenKey(path, channelManifests) ||
    (typeof value === "object" && value !== null);
  return isHidden ? (typeof value === "string" ? "***" : "what was given") : JSON.stringify(value);
}

function checkReport(file: string, hasFile: boolean, loaded: LoadedConfig): JsonObject {
  const { warnings, overrides } = loaded;
  return {
    file,
    exists: hasFile,
    usable: true,
    faults: [],
    warnings,
    overrides: overrides.map(({ key, variable }) => ({ key, variable })),
  };
}

function checkText(file: string, hasFile: boolean, { warnings, overrides }: LoadedConfig): string {
  const what = hasFile ? "can be used" : "is not there: defaults count; onboard makes one";
  return [
    `${file} ${what}`,
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...overrides.map(({ key, variable }) => `From the environment: ${key} (${variable})`),
  ].map((line) => `${line}\n`).join("");
}

function json(value: JsonValue): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function refuse(problem: string, terminal: Terminal): number {
  terminal.writeError(`Error: ${problem}\n`);
  return EXIT_NOT_BEGUN;
}
