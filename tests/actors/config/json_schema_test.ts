import assert from "node:assert/strict";
import { configShape } from "../../../actors/config/config_shape.ts";
import { configJsonSchema } from "../../../actors/config/json_schema.ts";
import type { Shape } from "../../../actors/config/shape.ts";
import { toSnake } from "../../../actors/config/spelling.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import { channelEntries } from "../../../channels/registry.ts";

const MANIFESTS = channelEntries.map(({ manifest }) => manifest);
const SCHEMA = configJsonSchema(MANIFESTS);

function at(value: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>(
    (object, key) => isObject(object) ? object[key] : undefined,
    value,
  );
}

function missingIn(schema: JsonValue | undefined, shape: Shape, path: string): string[] {
  if (shape.kind !== "object") return [];
  // What may also be null or text is one of several.
  const variants = [
    schema,
    ...(Array.isArray(at(schema, "anyOf")) ? Object.values(at(schema, "anyOf") ?? {}) : []),
  ];
  return [...shape.fields].flatMap(([name, field]) => {
    const found = variants.map((variant) => at(variant, "properties", name)).find(Boolean);
    const snake = variants.some((variant) =>
      at(variant, "properties", toSnake(name)) !== undefined
    );
    const own = found === undefined || !snake ? [`${path}${name}`] : [];
    return [...own, ...missingIn(found, field, `${path}${name}.`)];
  });
}

function references(value: JsonValue): string[] {
  if (!isObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : references(inner)
  );
}

Deno.test("The JSON Schema knows every key of the configuration, in both spellings", () => {
  assert.deepEqual(missingIn(SCHEMA, configShape(MANIFESTS), ""), []);
});

Deno.test("Every reference of the JSON Schema leads somewhere", () => {
  const lost = references(SCHEMA).filter((reference) =>
    at(SCHEMA, ...reference.replace(/^#\//, "").split("/")) === undefined
  );
  assert.deepEqual(lost, []);
});

Deno.test("The JSON Schema marks unknown keys, and takes a placeholder for a number", () => {
  const port = at(SCHEMA, "properties", "gateway", "properties", "port");
  assert.deepEqual(at(port, "default"), 18_790);
  const [number, placeholder]: readonly JsonObject[] = Object.values(at(port, "anyOf") ?? {});
  assert.partialDeepStrictEqual(number, { type: "integer", minimum: 0, maximum: 65_535 });
  assert.match("${PORT}", new RegExp(String(placeholder?.["pattern"])));
  assert.equal(at(SCHEMA, "properties", "gateway", "additionalProperties"), false);
});
