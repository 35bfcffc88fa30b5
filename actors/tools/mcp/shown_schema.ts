/**
 * A server's JSON Schema in the form in which models see it: an object at its root, references
 * resolved, `null` as `nullable`, bounded in size; and in the form in which arguments are checked.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../../kernel/json.ts";
import { LISTS, MAPS, meantValue, SINGLE } from "./schema_keywords.ts";

/** References are followed and nested schemas shown this deep; below it anything goes. */
const DEPTH_MAX = 16;
/** As JSON; what is larger costs every request. */
const SCHEMA_CHARS_MAX = 24_000;
const DESCRIPTION_CHARS_MAX = 1_000;

/** Larger ones are not checked by: that would take longer than a call may. */
const CHECKED_CHARS_MAX = 200_000;
const CHECKED_DEPTH_MAX = 64;

/** What only tools that read schemas need. */
const DROPPED = new Set(["$schema", "$id", "$defs", "definitions", "$comment", "$ref"]);

/** The schema for a model; `tidy` cleans the texts in it. */
export function shownSchema(schema: JsonObject, tidy: (text: string) => string): JsonObject {
  const scene: Scene = { root: schema, tidy, left: SCHEMA_CHARS_MAX };
  const { properties = {}, ...rest } = withoutUnions(asObject(shown(schema, scene, 0)) ?? {});
  const whole = tidied({ type: "object", properties, ...rest });
  return JSON.stringify(whole).length <= SCHEMA_CHARS_MAX
    ? whole
    : { type: "object", properties: {}, description: "Its arguments are too many to show" };
}

/**
 * The schema by which arguments are checked: without expressions, which a server could write so
 * that looking at a text takes forever, and nothing where it is too large to be meant.
 */
export function checkedSchema(schema: JsonObject): JsonObject {
  if (JSON.stringify(schema).length > CHECKED_CHARS_MAX) return { type: "object" };
  return asObject(withoutExpressions(schema, 0)) ?? {};
}

function withoutExpressions(value: JsonValue, depth: number): JsonValue {
  if (depth > CHECKED_DEPTH_MAX) return {};
  if (isList(value)) return value.map((item) => withoutExpressions(item, depth + 1));
  const object = asObject(value);
  if (object === undefined) return value;
  const entries = Object.entries(object).filter(([keyword, inner]) =>
    keyword !== "patternProperties" && !(keyword === "pattern" && typeof inner === "string")
  );
  return Object.fromEntries(
    entries.map(([keyword, inner]) => [keyword, withoutExpressions(inner, depth + 1)]),
  );
}

interface Scene {
  readonly root: JsonObject;
  readonly tidy: (text: string) => string;
  /** Characters that may still be taken in: a schema of references can unfold without end. */
  left: number;
}

function shown(value: JsonValue, scene: Scene, depth: number): JsonValue {
  const schema = asObject(value);
  if (schema === undefined) return value;
  if (depth > DEPTH_MAX || scene.left <= 0) return {};
  const { $ref: reference } = schema;
  if (typeof reference === "string") {
    const { $ref: _, ...beside } = schema;
    return shown({ ...follow(reference, scene.root), ...beside }, scene, depth + 1);
  }
  const kept: Record<string, JsonValue> = {};
  for (const [keyword, inner] of Object.entries(schema)) {
    const meant = DROPPED.has(keyword) ? undefined : meantValue(keyword, inner);
    if (meant === undefined) continue;
    scene.left -= keyword.length + 4;
    kept[keyword] = inKeyword(keyword, meant, scene, depth + 1);
  }
  const whole = withNullable(kept);
  return depth === 0 ? whole : tidied(whole); // at the root, branches may bring what is required
}

/** Lists say of what, and nothing is required that is not there. */
function tidied(schema: JsonObject): JsonObject {
  const { required, ...rest } = schema;
  const { type, items, prefixItems, properties = {} } = rest;
  const isOpen = type === "array" && items === undefined && prefixItems === undefined;
  const names = new Set<JsonValue>(Object.keys(asObject(properties) ?? {}));
  const known = listOf(required).filter((name) => names.has(name));
  return { ...rest, ...(isOpen && { items: {} }), ...(known.length > 0 && { required: known }) };
}

/** No provider takes a choice as the root: what each branch has is there, and may be left out. */
function withoutUnions(root: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, not: _not, enum: _enum, const: _const, nullable: _, ...rest } = root;
  const { type: _type, properties, required, ...others } = rest;
  const objects = [anyOf, oneOf, allOf].flatMap(listOf).map(asObject);
  const entries = [...objects.map((branch) => branch?.["properties"]), properties]
    .flatMap((map) => Object.entries(asObject(map) ?? {}));
  const all = listOf(allOf).flatMap((branch) => listOf(asObject(branch)?.["required"]));
  return {
    ...others,
    properties: Object.fromEntries(entries),
    required: [...new Set([...listOf(required), ...all])],
  };
}

function inKeyword(keyword: string, inner: JsonValue, scene: Scene, depth: number): JsonValue {
  if (SINGLE.has(keyword)) return shown(inner, scene, depth);
  if (LISTS.has(keyword)) return listOf(inner).map((branch) => shown(branch, scene, depth));
  if (MAPS.has(keyword)) {
    const entries = Object.entries(asObject(inner) ?? {});
    return Object.fromEntries(entries.map(([name, below]) => {
      scene.left -= name.length + 4;
      return [name, asObject(below) === undefined ? {} : shown(below, scene, depth)];
    }));
  }
  if (typeof inner === "string") {
    const text = scene.tidy(inner).slice(0, DESCRIPTION_CHARS_MAX);
    scene.left -= text.length;
    return keyword === "description" || keyword === "title" ? text : inner;
  }
  if (typeof inner === "object") scene.left -= JSON.stringify(inner).length;
  return inner;
}

/** `[T, "null"]`, and a union of one schema and null, are T that may be null. */
function withNullable(schema: Record<string, JsonValue>): JsonObject {
  const types = listOf(schema["type"]);
  const [only, ...more] = types.filter((type) => type !== "null");
  if (types.includes("null") && only !== undefined && more.length === 0) {
    return { ...schema, type: only, nullable: true };
  }
  for (const union of ["anyOf", "oneOf"]) {
    const branches = listOf(schema[union]).map(asObject);
    const [branch, ...others] = branches.filter((one) => one?.["type"] !== "null");
    if (branch === undefined || others.length > 0 || branches.length !== 2) continue;
    const { [union]: _, ...rest } = schema;
    return { ...branch, ...rest, nullable: true };
  }
  const all = listOf(schema["allOf"]).map(asObject);
  const [part] = all;
  if (all.length !== 1 || part === undefined) return schema;
  const { allOf: _, ...rest } = schema;
  return { ...part, ...rest };
}

/** What `#/$defs/name` points at; others are not fetched. */
function follow(reference: string, root: JsonObject): JsonObject {
  if (!reference.startsWith("#/")) return {};
  let found: JsonValue | undefined = root;
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    const at: JsonObject | undefined = asObject(found);
    found = at !== undefined && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return asObject(found) ?? {};
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}
