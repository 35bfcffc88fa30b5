/**
 * Which values of a configuration must never be shown, and which variables hold them.
 * @module
 */

import type { ChannelManifest } from "./channel_manifest.ts";
import type { Override } from "./environment.ts";
import type { Interpolation } from "./interpolate.ts";
import type { KeyPath } from "./key_path.ts";
import { SECRET_PROCESS_VARIABLES } from "./process_settings.ts";
import type { Config } from "./schema.ts";
import { foldName } from "./spelling.ts";

/** What must be kept from logs, and from processes that this one starts. */
export interface ConfigSecrets {
  /** Distinct values, none empty, longest first, so that a part never uncovers the whole. */
  readonly values: readonly string[];
  /** Variables that hold secrets. */
  readonly variables: readonly string[];
  /** All variables that settings name as `${NAME}`, secret or not. */
  readonly interpolated: readonly string[];
}

/** What secrets are found by, besides the names of keys. */
export interface SecretHints {
  readonly manifests: readonly ChannelManifest[];
  readonly interpolations: readonly Interpolation[];
  readonly overrides: readonly Override[];
  readonly env: Readonly<Record<string, string>>;
}

const SECRET_WORD =
  /(key|token|secret|password|passwd|passphrase|credentials?|authorization|cookie)$/i;
const SECRET_SHORT_WORDS: ReadonlySet<string> = new Set(["pass", "pat", "auth", "pwd"]);
/** Maps with free keys, in which people keep secrets under any name. */
const FREE_MAPS: ReadonlySet<string> = new Set(["extraHeaders", "extraQuery", "headers", "env"]);
/** Maps of secrets by the names of their holders. */
const SECRET_MAPS: ReadonlySet<string> = new Set(["apiKeys"]);
const URL_PASSWORD = /:\/\/[^/?#\s@:]*:([^/?#\s@]+)@/;

/** Distinct values in the order in which they are blotted out: a part never uncovers the whole. */
export function longestFirst(values: Iterable<string>): readonly string[] {
  return [...new Set(values)].toSorted((one, other) => other.length - one.length);
}

/** The password in a URL; undefined where there is none. */
export function passwordIn(text: string): string | undefined {
  return URL_PASSWORD.exec(text)?.[1];
}

/** Whether a key or variable is named like a secret: `apiKey`, `GITHUB_TOKEN`, `Authorization`. */
export function isSecretName(name: string): boolean {
  const words = name.replace(/[a-z0-9](?=[A-Z])/g, "$& ").split(/[^A-Za-z]+/);
  const last = words.findLast((word) => word !== "") ?? "";
  return SECRET_WORD.test(last) || SECRET_SHORT_WORDS.has(last.toLowerCase());
}

/** All secrets of a configuration and of the variables that it is made from. */
export function secretsOf(config: Config, hints: SecretHints): ConfigSecrets {
  const { channels, ...core } = config;
  const sections = { ...channels.others, ...channels.enabled };
  const interpolatedKeys = new Set(hints.interpolations.map(({ key }) => key.join("\n")));
  const values = new Set<string>();
  visitTexts({ ...core, channels: sections }, [], (text, path) => {
    const isHidden = isSecretKey(path, hints.manifests) ||
      (isInFreeMap(path) && interpolatedKeys.has(path.join("\n")));
    if (isHidden) values.add(text);
    const password = passwordIn(text);
    if (password !== undefined) values.add(password);
  });
  const variables = secretVariables(hints);
  for (const name of variables) values.add(hints.env[name] ?? "");
  values.delete("");
  return {
    values: longestFirst(values),
    variables,
    interpolated: [...new Set(hints.interpolations.map(({ variable }) => variable))],
  };
}

function secretVariables(hints: SecretHints): readonly string[] {
  const names = new Set<string>();
  for (const { key, variable } of hints.interpolations) {
    const isHidden = isSecretKey(key, hints.manifests) || isInFreeMap(key);
    if (isHidden || isSecretName(variable)) names.add(variable);
  }
  for (const { key, variable } of hints.overrides) {
    if (isSecretKey(key, hints.manifests)) names.add(variable);
  }
  for (const name of SECRET_PROCESS_VARIABLES.flatMap((name) => [name, `TROUPE_${name}`])) {
    if (Object.hasOwn(hints.env, name)) names.add(name);
  }
  return [...names];
}

function isSecretKey(path: KeyPath, manifests: readonly ChannelManifest[]): boolean {
  const names = path.filter((part) => typeof part === "string");
  if (isSecretName(names.at(-1) ?? "") || SECRET_MAPS.has(names.at(-2) ?? "")) return true;
  const [root, channel, ...rest] = names;
  if (root !== "channels") return false;
  const secrets = manifests.find(({ name }) => name === channel)?.secrets ?? [];
  return secrets.some((secret) => foldName(secret) === foldName(rest.join(".")));
}

/** Whether a value is never shown: a secret by its key, or in a map where people keep some. */
export function isHiddenKey(path: KeyPath, manifests: readonly ChannelManifest[]): boolean {
  const isNamedSo = path.some((part) => typeof part === "string" && isSecretName(part));
  return isNamedSo || isSecretKey(path, manifests) || isInFreeMap(path);
}

function isInFreeMap(path: KeyPath): boolean {
  return FREE_MAPS.has(String(path.at(-2) ?? ""));
}

function visitTexts(
  value: unknown,
  path: KeyPath,
  visit: (text: string, path: KeyPath) => void,
): void {
  if (typeof value === "string") visit(value, path);
  else if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => visitTexts(item, [...path, index], visit));
  } else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) visitTexts(inner, [...path, key], visit);
  }
}
