import assert from "node:assert/strict";
import { configShape } from "../../../actors/config/config_shape.ts";
import { configJsonSchema } from "../../../actors/config/json_schema.ts";
import type { Shape } from "../../../actors/config/shape.ts";
import { toSnake } from "../../../actors/config/spelling.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../actors/kernel/json.ts";
import { channelEntries } from "../../../channels/registry.ts";
import { loadSettingTexts } from "../../../channels/setting_texts.ts";

const MANIFESTS = channelEntries.map(({ manifest }) => manifest);
const SCHEMA = configJsonSchema(MANIFESTS);

function at(value: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>(
    (inside, key) => {
      if (Array.isArray(inside)) return inside[Number(key)];
      return isObject(inside) ? inside[key] : undefined;
    },
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

Deno.test("The JSON Schema tells of every key what it is for", async () => {
  const schema = configJsonSchema(MANIFESTS, await loadSettingTexts());
  const silent: string[] = [];
  const look = (value: JsonValue, path: string): void => {
    if (!isObject(value) && !Array.isArray(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const isSpelling = at(inner, "$ref") !== undefined;
      const isKey = path.endsWith("/properties") && !isSpelling;
      if (isKey && typeof at(inner, "description") !== "string") silent.push(`${path}/${key}`);
      look(inner, `${path}/${key}`);
    }
  };
  look(schema, "");
  assert.deepEqual(silent, []);
  const dream = ["properties", "agents", "properties", "defaults", "properties", "dream"];
  const text = at(schema, ...dream, "description");
  assert.match(String(text), /^Dream, the job that .* \(memory\)\.$/, "no links");
});

Deno.test("The JSON Schema takes what the file may hold besides: names of models, null, ids as numbers", () => {
  const defaults = at(SCHEMA, "properties", "agents", "properties", "defaults", "properties");
  assert.deepEqual(at(defaults, "fallbackModels", "default"), []);
  const [name, model]: readonly JsonObject[] = Object.values(
    at(defaults, "fallbackModels", "items", "anyOf") ?? {},
  );
  assert.deepEqual(name, { type: "string", minLength: 1 });
  assert.deepEqual(at(model, "required"), ["model"]);
  const email = at(SCHEMA, "properties", "channels", "properties", "email", "properties");
  const [plain]: readonly JsonObject[] = Object.values(at(email, "saveSent", "anyOf") ?? {});
  assert.deepEqual(plain, { type: ["boolean", "null"] });
  const telegram = at(SCHEMA, "properties", "channels", "properties", "telegram", "properties");
  const [id]: readonly JsonObject[] = Object.values(
    at(telegram, "allowFrom", "items", "anyOf") ?? {},
  );
  assert.deepEqual(id, { type: ["string", "integer"] });
});
