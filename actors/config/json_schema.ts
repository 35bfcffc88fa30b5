/**
 * The configuration file as a JSON Schema, by which editors complete keys and mark mistakes.
 * @module
 */

import { z } from "zod";
import { isList, isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import type { ChannelManifest } from "./channel_manifest.ts";
import { coreSchema } from "./schema.ts";
import { PROVIDER_KEYS } from "./schema/providers.ts";
import { toSnake } from "./spelling.ts";
import { own } from "./tree.ts";

/** Values that the file may give by the environment, whatever they are read as. */
const PLACEHOLDER: JsonObject = { type: "string", pattern: "\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}" };

/** The schema of `config.json` when these channels are known; draft 2020-12. */
export function configJsonSchema(manifests: readonly ChannelManifest[]): JsonObject {
  const core = schemaOf(coreSchema);
  const sections = manifests.map(({ name, schema }) => [name, schemaOf(schema(z))] as const);
  const properties = asObject(own(core, "properties"));
  const channels = asObject(properties["channels"]);
  const providers = asObject(properties["providers"]);
  const provider = asObject(providers["additionalProperties"]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Troupe's config.json",
    ...closed({
      ...core,
      properties: {
        $schema: { type: "string" },
        ...properties,
        channels: {
          ...channels,
          properties: {
            ...asObject(channels["properties"]),
            ...Object.fromEntries(sections),
          },
          // Channels of others, and sections that nobody reads.
          additionalProperties: true,
        },
        providers: {
          ...providers,
          properties: Object.fromEntries(PROVIDER_KEYS.map((key) => [key, provider])),
        },
      },
    }, "#"),
  };
}

/** As the file is written: defaults are not required, transformed values are what they are read from. */
function schemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _draft, ...made } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  return asObject(JSON.parse(JSON.stringify(made)));
}

/**
 * The schema with unknown keys marked, snake_case beside camelCase, and placeholders where numbers
 * and switches stand.
 */
function closed(schema: JsonObject, pointer: string): JsonObject {
  const properties = own(schema, "properties");
  const made = Object.fromEntries(
    Object.entries(schema).filter(([key]) => key !== "properties")
      .map(([key, value]) => [key, inner(value, `${pointer}/${key}`)]),
  );
  if (!isObject(properties)) return withPlaceholder(made);
  return {
    ...made,
    properties: Object.fromEntries(
      Object.entries(properties).flatMap(([key, value]) => {
        const place = `${pointer}/properties/${key}`;
        const camel: [string, JsonValue] = [key, inner(value, place)];
        const snake = toSnake(key);
        // The other spelling counts as well; editors offer the first.
        return snake === key ? [camel] : [camel, [snake, { $ref: place, doNotSuggest: true }]];
      }),
    ),
    additionalProperties: made["additionalProperties"] ?? false,
  };
}

function inner(value: JsonValue, pointer: string): JsonValue {
  if (isList(value)) return value.map((item, index) => inner(item, `${pointer}/${index}`));
  return isObject(value) ? closed(value, pointer) : value;
}

function withPlaceholder(schema: JsonObject): JsonObject {
  const { type, default: usual, ...rest } = schema;
  const isPlain = type === "number" || type === "integer" || type === "boolean" ||
    Array.isArray(rest["enum"]);
  if (!isPlain) return schema;
  return {
    ...(usual !== undefined && { default: usual }),
    anyOf: [{ ...(type !== undefined && { type }), ...rest }, PLACEHOLDER],
  };
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
