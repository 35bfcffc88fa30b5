/**
 * A configuration without its secrets: names of variables stand in their places.
 * @module
 */

import { isHiddenKey, passwordIn } from "../../../actors/config/secrets.ts";
import type { ChannelManifest } from "../../../actors/config/channel_manifest.ts";
import type { KeyPath } from "../../../actors/config/key_path.ts";
import { isList, isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";

const PLACEHOLDER = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/g;

/** The settings with `${TROUPE_SECRET_…}` in place of each secret that stands there itself. */
export function withoutSecrets(
  settings: JsonObject,
  manifests: readonly ChannelManifest[],
): JsonObject {
  return blanked(settings, []);

  function blanked(value: JsonObject, path: KeyPath): JsonObject {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, blankedValue(inner, [...path, key])]),
    );
  }

  function blankedValue(value: JsonValue, path: KeyPath): JsonValue {
    if (isList(value)) return value.map((item, index) => blankedValue(item, [...path, index]));
    if (isObject(value)) return blanked(value, path);
    if (typeof value !== "string" || value === "") return value;
    // What only names variables is no secret itself.
    if (value.replaceAll(PLACEHOLDER, "").trim() === "") return value;
    const isHidden = isHiddenKey(path, manifests) || passwordIn(value) !== undefined;
    return isHidden ? `\${${variableFor(path)}}` : value;
  }
}

/** Names of all variables that the settings want. */
export function variablesIn(settings: JsonObject): readonly string[] {
  const names = JSON.stringify(settings).match(PLACEHOLDER) ?? [];
  return [...new Set(names.map((name) => name.slice(2, -1)))].toSorted();
}

function variableFor(path: KeyPath): string {
  const words = path.map((part) =>
    String(part).replace(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll(/[^A-Za-z0-9]+/g, "_")
  );
  return `TROUPE_SECRET_${words.join("_").toUpperCase()}`;
}
