/**
 * The settings as people may see them: as they count, with secrets blotted out.
 * @module
 */

import { z } from "zod";
import { asJson, isList, isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import { canonicalSettings } from "./canonical.ts";
import type { ChannelManifest } from "./channel_manifest.ts";
import { castValue } from "./cast.ts";
import type { KeyPath } from "./key_path.ts";
import type { LoadedConfig } from "./load_config.ts";
import { MASK, redact } from "./redact.ts";
import { isHiddenKey } from "./secrets.ts";
import { shapeOf } from "./shape.ts";
import { own } from "./tree.ts";

/** All settings in the places where they stand in the file, defaults and environment included. */
export function shownSettings(
  { config, secrets }: Pick<LoadedConfig, "config" | "secrets">,
  manifests: readonly ChannelManifest[],
): JsonObject {
  const { enabled, others, ...common } = config.channels;
  const channels = {
    ...common,
    ...Object.fromEntries(
      Object.entries(others).map(([name, section]) => [name, completed(name, section, manifests)]),
    ),
    ...enabled,
  };
  const settings = asJson({ ...config, channels });
  const shown = masked(settings, [], { manifests, secrets: secrets.values });
  return isObject(shown) ? shown : {};
}

/** A setting's value among them; a channel that stands nowhere has its defaults. */
export function shownAt(
  settings: JsonObject,
  path: KeyPath,
  manifests: readonly ChannelManifest[],
): JsonValue | undefined {
  const [root, name] = path;
  const isAbsent = root === "channels" && typeof name === "string" &&
    own(own(settings, "channels"), name) === undefined;
  const sections = isAbsent ? { channels: { [name]: completed(name, {}, manifests) } } : settings;
  return path.reduce<JsonValue | undefined>(
    (value, part) =>
      typeof part === "string" ? own(value, part) : isList(value) ? value[part] : undefined,
    sections,
  );
}

/** A section that nobody reads, with the defaults that it would have; as it is where it is wrong. */
function completed(
  name: string,
  section: JsonValue,
  manifests: readonly ChannelManifest[],
): JsonValue {
  const manifest = manifests.find((candidate) => candidate.name === name);
  if (manifest === undefined || !isObject(section)) return section;
  const schema = manifest.schema(z);
  const shape = shapeOf(schema);
  if (shape.kind !== "object") return section;
  const canonical = canonicalSettings(section, shape, () => {});
  const parsed = schema.safeParse(castValue(canonical, shape));
  return parsed.success ? asJson({ ...parsed.data }) : canonical;
}

function masked(
  value: JsonValue,
  path: KeyPath,
  hints: { readonly manifests: readonly ChannelManifest[]; readonly secrets: readonly string[] },
): JsonValue {
  if (typeof value === "string") {
    return value !== "" && isHiddenKey(path, hints.manifests) ? MASK : redact(value, hints.secrets);
  }
  if (isList(value)) return value.map((item, index) => masked(item, [...path, index], hints));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, masked(inner, [...path, key], hints)]),
  );
}
