/**
 * The configuration file as a JSON Schema, by which editors complete keys and mark mistakes.
 * @module
 */

import { z } from "zod";
import { isList, isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import type { ChannelManifest } from "./channel_manifest.ts";
import { described } from "./descriptions/described.ts";
import type { SettingTexts } from "./descriptions/setting_text.ts";
import { fallbackModelSchema } from "./schema/agents.ts";
import { coreSchema } from "./schema.ts";
import { PROVIDER_KEYS } from "./schema/providers.ts";
import { toSnake } from "./spelling.ts";
import { own } from "./tree.ts";

/** Values that the file may give by the environment, whatever they are read as. */
const PLACEHOLDER: JsonObject = { type: "string", pattern: "\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}" };

/**
 * The schema of `config.json` when these channels are known; draft 2020-12.
 *
 * @param texts What editors show of each key.
 */
export function configJsonSchema(
  manifests: readonly ChannelManifest[],
  texts: SettingTexts = {},
): JsonObject {
  const whole = described(wholeSchema(manifests), texts);
  const properties = asObject(own(whole, "properties"));
  const providers = asObject(properties["providers"]);
  const provider = asObject(providers["additionalProperties"]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Troupe's config.json",
    ...closed({
      ...whole,
      properties: {
        $schema: { description: "Where this schema is, for editors.", type: "string" },
        ...properties,
        providers: {
          ...providers,
          properties: Object.fromEntries(PROVIDER_KEYS.map((key) => [key, provider])),
        },
      },
    }, "#"),
  };
}

/** What every key takes, as zod tells it: the sections of the channels among the others. */
export function wholeSchema(manifests: readonly ChannelManifest[]): JsonObject {
  const core = schemaOf(coreSchema);
  const sections = manifests.map(({ name, schema }) => [name, schemaOf(schema(z))] as const);
  const properties = asObject(own(core, "properties"));
  const channels = asObject(properties["channels"]);
  return {
    ...core,
    properties: {
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
    },
  };
}

/** As the file is written: defaults are not required, transformed values are what they are read from. */
function schemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _draft, ...made } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: complete,
  });
  return asObject(JSON.parse(JSON.stringify(made)));
}

/** Tells what zod leaves out of what a schema takes: another spelling, and usual values. */
function complete(
  { zodSchema, jsonSchema }: {
    zodSchema: z.core.$ZodType;
    jsonSchema: z.core.JSONSchema.BaseSchema;
  },
): void {
  if (zodSchema === fallbackModelSchema) {
    jsonSchema.anyOf = [{ type: "string", minLength: 1 }, { ...jsonSchema }];
    for (const key of ["type", "properties", "required"]) delete jsonSchema[key];
  }
  // Ids that are numbers may be written as such.
  if (zodSchema instanceof z.ZodString && zodSchema.def.coerce === true) {
    Object.assign(jsonSchema, { type: ["string", "integer"] });
  }
  // The usual value of what is transformed; ours are values that the file may hold as well.
  if (zodSchema instanceof z.ZodDefault) jsonSchema["default"] ??= zodSchema.def.defaultValue;
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
  const { type, default: usual, description, ...rest } = schema;
  const types = isList(type) ? type : [type];
  const isPlain = types.some((one) => one === "number" || one === "integer" || one === "boolean") ||
    isList(rest["enum"]);
  if (!isPlain) return schema;
  return {
    ...(description !== undefined && { description }),
    ...(usual !== undefined && { default: usual }),
    anyOf: [{ ...(type !== undefined && { type }), ...rest }, PLACEHOLDER],
  };
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
