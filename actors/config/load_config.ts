/**
 * Turns the configuration file, the environment and the flags into one frozen `Config`, or says
 * in one line per mistake why it does not.
 * @module
 */

import type { ChannelManifest } from "./channel_manifest.ts";
import { invariant } from "../kernel/invariant.ts";
import { isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import { canonicalSettings } from "./canonical.ts";
import { castValue } from "./cast.ts";
import { divideChannels, readSections } from "./channel_sections.ts";
import { configShape } from "./config_shape.ts";
import { withEnvironment } from "./environment.ts";
import { ConfigError, type ConfigFailure } from "./errors.ts";
import { Interpolator } from "./interpolate.ts";
import { parseConfigText, repeatedKeys } from "./json_text.ts";
import { type KeyPath, quote, showPath } from "./key_path.ts";
import { locate, locateConfig, type Locations } from "./locations.ts";
import { migrate } from "./migrations.ts";
import {
  type ProcessSettings,
  readConcurrencyLimit,
  readProcessSettings,
} from "./process_settings.ts";
import { resolveProvider, withoutUnreachable } from "./provider_names.ts";
import { Report } from "./report.ts";
import { type Config, type CoreConfig, coreSchema } from "./schema.ts";
import { PROVIDER_KEYS } from "./schema/providers.ts";
import { type ConfigSecrets, secretsOf } from "./secrets.ts";
import { type ConfigSource, NotTextError } from "./source.ts";
import { foldName } from "./spelling.ts";
import { own, withKey } from "./tree.ts";
import { validate } from "./validate.ts";
import { workspacePlace } from "./workspace_place.ts";

/** What a configuration is made from. */
export interface LoadConfigOptions {
  readonly source: ConfigSource;
  /** The channels that there are. */
  readonly manifests: readonly ChannelManifest[];
  /** `--config`: this file, which must be there. */
  readonly configPath?: string | undefined;
  /** `--workspace`: instead of `agents.defaults.workspace`. */
  readonly workspace?: string | undefined;
}

/** A setting that comes from the environment, for people to see. */
export interface ShownOverride {
  /** camelCase path. */
  readonly key: string;
  readonly variable: string;
}

/** Everything that is known once the configuration is read. */
export interface LoadedConfig {
  readonly config: Config;
  readonly locations: Locations;
  readonly process: ProcessSettings;
  /** One sentence each. */
  readonly warnings: readonly string[];
  readonly secrets: ConfigSecrets;
  readonly overrides: readonly ShownOverride[];
}

/**
 * Reads and checks the whole configuration.
 *
 * @throws {ConfigError} with all that is wrong
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const { source, manifests } = options;
  const place = locateConfig(source, options.configPath);
  const { written, repeated } = await readSettings(place.configFile, options);
  const report = new Report(place.configFile);
  for (const path of repeated) {
    report.warn(path, `${showPath(path)} is set more than once: the last one counts; keep one`);
  }
  const shape = configShape(manifests);
  const canonical = canonicalSettings(
    migrate(written, report),
    shape,
    (path, sentence) => report.warn(path, sentence),
  );
  const { settings, overrides } = withEnvironment(canonical, source.env, shape, report);

  const interpolator = new Interpolator(source.env, report);
  const channels = divideChannels(
    own(settings, "channels"),
    own(written, "channels"),
    manifests,
    { interpolator, report },
  );
  const used = withUsedParts(settings, channels.used, report);
  const complete = castValue(interpolator.settings(used, shape), shape);
  const core = validate(complete, coreSchema, [], report);
  const enabled = readSections(own(complete, "channels"), channels.enabled, report);
  const process = readProcessSettings(source.env, report);
  const turnsMax = readConcurrencyLimit(source.env, report);
  const workspaceOf = ({ agents }: CoreConfig) =>
    workspacePlace(agents.defaults.workspace, { place, source, flag: options.workspace }, report);
  const finished = core === null
    ? null
    : finishCore(core, { turnsMax, workspace: workspaceOf(core) }, report);
  report.throwIfRefused();
  invariant(finished !== null, "settings that were not refused are complete");

  const config = deepFreeze({
    ...finished,
    channels: { ...finished.channels, enabled, others: channels.others },
  });
  return {
    config,
    locations: locate(place, config.agents.defaults.workspace),
    process,
    warnings: report.warnings(channels.ignored),
    secrets: secretsOf(config, {
      manifests,
      interpolations: interpolator.interpolations,
      overrides,
      env: source.env,
    }),
    overrides: overrides.map(({ key, variable }) => ({ key: showPath(key), variable })),
  };
}

/** The file as it was written, and what stands there twice. */
interface Written {
  readonly written: JsonObject;
  readonly repeated: readonly KeyPath[];
}

/** Reads the file; without the default file, nothing is set. */
async function readSettings(
  file: string,
  { source, configPath }: LoadConfigOptions,
): Promise<Written> {
  let text: string | null;
  try {
    text = await source.readTextFile(file);
  } catch (error) {
    throw unreadable(file, error);
  }
  if (text !== null) {
    return { written: parseConfigText(text, file), repeated: repeatedKeys(text) };
  }
  if (configPath === undefined) return { written: {}, repeated: [] };
  throw fileError("config_missing", file, "there is no such file; check the path of --config");
}

/** What is told of a file that is there and gives no text. */
export function unreadable(file: string, cause: unknown): ConfigError {
  const why = cause instanceof NotTextError
    ? `line ${cause.line} is not UTF-8; save the file as UTF-8`
    : "it cannot be read; check its type and permissions";
  return fileError("config_unreadable", file, why, cause);
}

function fileError(code: ConfigFailure, file: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError([{ code, key: "", line: `Cannot load ${quote(file)}: ${why}` }], {
    cause,
  });
}

/** The settings without what nobody will read: unused channels, providers without an address. */
function withUsedParts(
  settings: JsonObject,
  channels: JsonValue | undefined,
  report: Report,
): JsonObject {
  const providers = own(settings, "providers");
  const used = channels === undefined ? settings : withKey(settings, "channels", channels);
  if (!isObject(providers)) return used;
  return withKey(used, "providers", withoutUnreachable(providers, report));
}

/** Resolves what depends on more than one setting. */
function finishCore(
  core: CoreConfig,
  { turnsMax, workspace }: { readonly turnsMax: number | null; readonly workspace: string },
  report: Report,
): CoreConfig {
  const { defaults } = core.agents;
  adviseOnValues(core, report);
  const provider = resolveProvider(defaults.provider, core.providers, report);
  const maxConcurrentRequests = turnsMax ?? defaults.maxConcurrentRequests;
  const finished = { ...defaults, provider, maxConcurrentRequests, workspace };
  return { ...core, agents: { ...core.agents, defaults: finished } };
}

/** Warns about values that are allowed and yet hardly meant. */
function adviseOnValues({ agents, channels, providers }: CoreConfig, report: Report): void {
  const { maxTokens, contextWindowTokens, fallbackModels } = agents.defaults;
  if (agents.defaults.unifiedSession && agents.defaults.memoryScope !== "global") {
    report.warn(
      ["agents", "defaults", "unifiedSession"],
      "agents.defaults.unifiedSession shows everybody one conversation, whatever " +
        "agents.defaults.memoryScope keeps apart: leave one of them out",
    );
  }
  if (contextWindowTokens > 0 && maxTokens >= contextWindowTokens) {
    report.warn(
      ["agents", "defaults", "maxTokens"],
      "agents.defaults.maxTokens leaves no room in agents.defaults.contextWindowTokens: lower it",
    );
  }
  for (const [index, fallback] of fallbackModels.entries()) {
    const windowTokens = fallback.contextWindowTokens ?? 0;
    if (windowTokens === 0 || (fallback.maxTokens ?? maxTokens) < windowTokens) continue;
    const path = ["agents", "defaults", "fallbackModels", index];
    const key = showPath(path);
    report.warn(path, `${key}.maxTokens leaves no room in ${key}.contextWindowTokens: lower it`);
  }
  const transcribers = [...PROVIDER_KEYS, ...Object.keys(providers)].map(foldName);
  if (!transcribers.includes(foldName(channels.transcriptionProvider))) {
    report.warn(
      ["channels", "transcriptionProvider"],
      "channels.transcriptionProvider is neither groq nor openai nor another name of section " +
        "providers: groq is used",
    );
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
