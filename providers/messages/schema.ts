/**
 * JSON Schema of tools, as far as a vendor takes it. What is taken away loosens a schema, never
 * tightens it: the tool itself checks its arguments anyway.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../../actors/kernel/json.ts";
import type { SchemaRule } from "../trait_kinds.ts";

/** References are followed this deep; what is below may be anything. */
const DEPTH_MAX = 12;

/** Keywords that Gemini's own schema has. */
const GEMINI_KEYWORDS: ReadonlySet<string> = new Set([
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "items",
  "minItems",
  "maxItems",
  "properties",
  "required",
  "anyOf",
  "minimum",
  "maximum",
]);
/** Formats that it knows; others are refused. */
const GEMINI_FORMATS: ReadonlySet<JsonValue> = new Set([
  "enum",
  "date-time",
  "float",
  "double",
  "int32",
  "int64",
]);
const UNIONS = ["anyOf", "oneOf", "allOf"] as const;

/** The parameters of a tool under a vendor's rules; always an object with `properties`. */
export function parametersFor(parameters: JsonObject, rules: readonly SchemaRule[]): JsonObject {
  let schema = parameters;
  if (rules.includes("no_root_union")) schema = withoutRootUnion(schema);
  if (rules.includes("gemini_subset")) schema = asObject(geminiSubset(schema, schema, 0)) ?? {};
  if (schema["type"] === "object" && asObject(schema["properties"]) !== undefined) return schema;
  return { ...schema, type: "object", properties: schema["properties"] ?? {} };
}

/** One object with the properties of all branches; required is what all of them require. */
function withoutRootUnion(schema: JsonObject): JsonObject {
  if (UNIONS.every((keyword) => schema[keyword] === undefined)) return schema;
  let properties = asObject(schema["properties"]) ?? {};
  const required = new Set(texts(schema["required"]));
  for (const keyword of UNIONS) {
    const branches = list(schema[keyword]).map(asObject).filter((branch) => branch !== undefined);
    for (const branch of branches) {
      properties = { ...asObject(branch["properties"]), ...properties };
    }
    const sets = branches.map((branch) => new Set(texts(branch["required"])));
    const [first = new Set<string>(), ...others] = sets;
    const common = keyword === "allOf"
      ? others.reduce((all, next) => all.union(next), first)
      : others.reduce((all, next) => all.intersection(next), first);
    for (const name of common) required.add(name);
  }
  const rest = Object.entries(schema).filter(([keyword]) =>
    !UNIONS.some((union) => union === keyword)
  );
  return {
    ...Object.fromEntries(rest),
    type: "object",
    properties,
    ...(required.size > 0 && { required: [...required] }),
  };
}

function geminiSubset(value: JsonValue, root: JsonObject, depth: number): JsonValue {
  const schema = asObject(value);
  if (schema === undefined) return {};
  if (depth > DEPTH_MAX) return { type: "object" };
  const { $ref: reference } = schema;
  if (typeof reference === "string") {
    const target = follow(reference, root);
    const { $ref: _, ...beside } = schema;
    return geminiSubset({ ...target, ...beside }, root, depth + 1);
  }
  const kept: Record<string, JsonValue> = {};
  for (const [keyword, inner] of Object.entries(geminiWords(schema))) {
    if (!GEMINI_KEYWORDS.has(keyword)) continue;
    if (keyword === "format" && !GEMINI_FORMATS.has(inner)) continue;
    kept[keyword] = inSubset(keyword, inner, root, depth);
  }
  return kept;
}

function inSubset(
  keyword: string,
  inner: JsonValue,
  root: JsonObject,
  depth: number,
): JsonValue {
  switch (keyword) {
    case "properties": {
      const entries = Object.entries(asObject(inner) ?? {});
      return Object.fromEntries(
        entries.map(([name, below]) => [name, geminiSubset(below, root, depth + 1)]),
      );
    }
    case "items":
      return geminiSubset(inner, root, depth + 1);
    case "anyOf":
      return list(inner).map((branch) => geminiSubset(branch, root, depth + 1));
    default:
      return inner;
  }
}

/** The schema in Gemini's words: one type, `nullable`, `enum` of texts, `anyOf`. */
function geminiWords(schema: JsonObject): JsonObject {
  const words: Record<string, JsonValue> = { ...schema };
  if (schema["oneOf"] !== undefined) words["anyOf"] = schema["oneOf"];
  if (schema["const"] !== undefined) words["enum"] = [schema["const"]];
  const types = list(schema["type"]);
  if (types.length > 0) {
    const [first = "string"] = types.filter((type) => type !== "null");
    words["type"] = first;
    if (types.includes("null")) words["nullable"] = true;
  }
  if (words["enum"] !== undefined) {
    const values = list(words["enum"]);
    if (values.every((value) => typeof value === "string")) words["type"] ??= "string";
    else delete words["enum"];
  }
  return words;
}

/** What `#/$defs/name` points at. */
function follow(reference: string, root: JsonObject): JsonObject {
  let found: JsonValue = root;
  for (const step of reference.split("/").slice(1)) {
    found = asObject(found)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")] ?? {};
  }
  return asObject(found) ?? {};
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}

function texts(value: JsonValue | undefined): readonly string[] {
  return list(value).filter((item) => typeof item === "string");
}
