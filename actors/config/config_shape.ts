/**
 * The shape of a whole configuration file: the schema, with the sections of the channels that are
 * there and the names that keys had before.
 * @module
 */

import { z } from "zod";
import type { ChannelManifest } from "./channel_manifest.ts";
import { coreSchema } from "./schema.ts";
import { PROVIDER_KEYS, providerSchema } from "./schema/providers.ts";
import { type ObjectShape, objectShape, type Shape, shapeOf } from "./shape.ts";
import { toSnake } from "./spelling.ts";

/** Other names of keys, by the path of the object that they stand in. */
const ALIASES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "agents.defaults": { idleCompactAfterMinutes: ["sessionTtlMinutes"] },
  "agents.defaults.dream": { modelOverride: ["model"] },
};

/** The shape of `config.json` when these channels are known. */
export function configShape(manifests: readonly ChannelManifest[]): ObjectShape {
  const core = withAliases(shapeOf(coreSchema), "");
  const fields = new Map(core.kind === "object" ? core.fields : []);
  const channels = fields.get("channels");
  const common = channels?.kind === "object" ? channels.fields : [];
  const sections = manifests.map(({ name, schema }) => [name, shapeOf(schema(z))] as const);
  fields.set("channels", objectShape([...common, ...sections], { kind: "any" }));
  fields.set("providers", providersShape());
  fields.set("$schema", { kind: "text" }); // for editors
  return objectShape(fields);
}

function providersShape(): ObjectShape {
  const provider = shapeOf(providerSchema);
  return objectShape(
    PROVIDER_KEYS.map((key) => [key, provider]),
    provider,
    PROVIDER_KEYS.map((key) => [key, [toSnake(key).replaceAll("_", "-")]]),
  );
}

function withAliases(shape: Shape, path: string): Shape {
  if (shape.kind !== "object") return shape;
  const fields = [...shape.fields].map(([key, field]) =>
    [key, withAliases(field, path === "" ? key : `${path}.${key}`)] as const
  );
  return objectShape(fields, shape.rest, Object.entries(ALIASES[path] ?? {}));
}
