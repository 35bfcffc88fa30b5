/**
 * Loads configurations from memory, and two channels to load them with.
 * @module
 */

import assert from "node:assert/strict";
import type { z } from "zod";
import { ConfigError } from "../../../actors/config/errors.ts";
import { loadConfig, type LoadedConfig } from "../../../actors/config/load_config.ts";
import type { ChannelManifest, ChannelSection } from "../../../channels/manifest.ts";

/** Section of the test channel. */
export interface PigeonSection extends ChannelSection {
  readonly wingToken: string;
  readonly port: number;
  readonly groupPolicy: "mention" | "open";
  readonly lofts: Readonly<Record<string, { readonly requireMention: boolean }>>;
  readonly homing: { readonly maxHops: number };
}

function pigeonSchema(zod: typeof z): z.ZodType<PigeonSection> {
  return zod.object({
    enabled: zod.boolean().default(false),
    allowFrom: zod.array(zod.string()).default([]),
    wingToken: zod.string().default(""),
    port: zod.int().min(1).max(65_535).default(4_000),
    groupPolicy: zod.enum(["mention", "open"]).default("mention"),
    lofts: zod.record(zod.string(), zod.object({ requireMention: zod.boolean().default(false) }))
      .default({}),
    homing: zod.object({ maxHops: zod.int().default(3) }).prefault({}),
  });
}

/** A channel with nested keys, free keys and a secret that no name gives away. */
export const pigeon: ChannelManifest<PigeonSection> = {
  name: "pigeon",
  displayName: "Pigeon",
  schema: pigeonSchema,
  hosts: () => [],
  secrets: ["wingToken"],
  missing: ({ wingToken }) =>
    wingToken === "" ? ["channels.pigeon.wingToken is missing: read it off the ring"] : [],
};

/** A channel that always is complete. */
export const drum: ChannelManifest = {
  name: "drum",
  displayName: "Drum",
  schema: (zod) =>
    zod.object({
      enabled: zod.boolean().default(false),
      allowFrom: zod.array(zod.string()).default([]),
      rhythm: zod.string().default(""),
    }),
  hosts: () => [],
  secrets: ["rhythm"],
  missing: () => [],
};

/** Where the test files lie. */
export const CONFIG_FILE = "/home/ada/.troupe/config.json";

/** What a test configuration is made from. */
export interface LoadFrom {
  /** Contents by absolute path; more than {@link CONFIG_FILE}. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly manifests?: readonly ChannelManifest[];
  readonly configPath?: string;
  readonly workspace?: string;
}

/** Loads the text of a file at the default place. */
export function loadText(text: string, from: LoadFrom = {}): Promise<LoadedConfig> {
  return load({ ...from, files: { [CONFIG_FILE]: text, ...from.files } });
}

/** Loads settings as a file at the default place. */
export function loadSettings(settings: unknown, from: LoadFrom = {}): Promise<LoadedConfig> {
  return loadText(JSON.stringify(settings), from);
}

/** Loads from these files, and no others. */
export function load({ files = {}, env = {}, ...options }: LoadFrom): Promise<LoadedConfig> {
  return loadConfig({
    source: {
      readTextFile: (path) => Promise.resolve(files[path] ?? null),
      env,
      homeDir: "/home/ada",
      cwd: "/srv/here",
    },
    manifests: [pigeon, drum],
    ...options,
  });
}

/** The refusal that loading ends with. */
export async function refusalOf(loading: Promise<LoadedConfig>): Promise<ConfigError> {
  try {
    await loading;
  } catch (error) {
    assert.ok(error instanceof ConfigError, `refused by a ConfigError, not ${error}`);
    return error;
  }
  throw new assert.AssertionError({ message: "The configuration was accepted" });
}

/** Settings with one key set, given as a dotted path. */
export function settingsWith(path: string, value: unknown): unknown {
  return path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}
