/**
 * Arguments as models send them, brought into the types of the schema where no meaning is lost:
 * "42" for an integer, "yes" for a boolean, an object for a text, null for "not given".
 * @module
 */

import { isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";

const TRUE_WORDS = new Set(["true", "1", "yes"]);
const FALSE_WORDS = new Set(["false", "0", "no"]);
const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Schemas point at one another at most so deep. */
const REFERENCES_MAX = 16;

/** A copy of `args` cast by the properties of `schema`; what is not declared stays as it is. */
export function castArguments(
  args: JsonObject,
  schema: JsonObject,
  root: JsonObject = schema,
): JsonObject {
  const properties = asObject(schema["properties"]) ?? {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const cast: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(args)) {
    const declared = Object.hasOwn(properties, key) ? asObject(properties[key]) : undefined;
    const property = declared && resolved(declared, root);
    if (property === undefined) cast[key] = value;
    else if (value !== null || allowsNull(property)) cast[key] = castValue(value, property, root);
    else if (required.includes(key)) cast[key] = value;
  }
  return cast;
}

function castValue(value: JsonValue, schema: JsonObject, root: JsonObject): JsonValue {
  const object = asObject(value);
  const real = resolved(schema, root);
  switch (typeOf(real)) {
    case "integer":
      return castInteger(value);
    case "number":
      return typeof value === "string" && NUMBER.test(value.trim()) ? Number(value) : value;
    case "boolean":
      return castBoolean(value);
    case "string":
      return castString(value);
    case "array":
      return castItems(value, asObject(real["items"]), root);
    case "object":
      return object === undefined ? value : castArguments(object, real, root);
    default:
      return value;
  }
}

/** What a schema means that only points at another, or leaves but one choice beside null. */
function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  let current = schema;
  for (let depth = 0; depth < REFERENCES_MAX; depth++) {
    const next = pointedAt(current["$ref"], root) ?? onlyChoice(current);
    if (next === undefined) return current;
    current = next;
  }
  return current;
}

/** Follows `#/$defs/Name`; what points elsewhere is unknown. */
function pointedAt(reference: JsonValue | undefined, root: JsonObject): JsonObject | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let place: JsonObject | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key: string = part.replaceAll("~1", "/").replaceAll("~0", "~");
    place = place && Object.hasOwn(place, key) ? asObject(place[key]) : undefined;
  }
  return place;
}

/** The one branch of a union that is not null; its null is kept as a type of its own. */
function onlyChoice({ anyOf, oneOf, allOf }: JsonObject): JsonObject | undefined {
  const branches = anyOf ?? oneOf ?? allOf;
  if (!Array.isArray(branches)) return undefined;
  const objects = branches.map((branch: JsonValue) => asObject(branch)).filter((branch) =>
    branch !== undefined
  );
  const others = objects.filter(({ type }) => type !== "null");
  const [only] = others;
  if (only === undefined || others.length > 1) return undefined;
  const hasNull = objects.length > others.length && typeof only["type"] === "string";
  return hasNull ? { ...only, type: [only["type"] ?? "null", "null"] } : only;
}

function castInteger(value: JsonValue): JsonValue {
  const text = typeof value === "string" ? value.trim() : undefined;
  if (text !== undefined && INTEGER.test(text)) return Number(text);
  if (text !== undefined && NUMBER.test(text) && Number.isInteger(Number(text))) {
    return Number(text);
  }
  return value;
}

function castBoolean(value: JsonValue): JsonValue {
  const word = typeof value === "string" ? value.trim().toLowerCase() : String(value);
  if (typeof value !== "string" && typeof value !== "number") return value;
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : value;
}

function castString(value: JsonValue): JsonValue {
  if (value === null || typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function castItems(
  value: JsonValue,
  items: JsonObject | undefined,
  root: JsonObject,
): JsonValue {
  if (!Array.isArray(value) || items === undefined) return value;
  return value.map((item: JsonValue) => castValue(item, items, root));
}

function typeOf(schema: JsonObject): JsonValue | undefined {
  const { type } = schema;
  return Array.isArray(type) ? type.find((name) => name !== "null") : type;
}

function allowsNull(schema: JsonObject): boolean {
  const { type, anyOf, nullable } = schema;
  if (type === "null" || nullable === true || (Array.isArray(type) && type.includes("null"))) {
    return true;
  }
  return Array.isArray(anyOf) && anyOf.some((option: JsonValue) => {
    const object = asObject(option);
    return object !== undefined && allowsNull(object);
  });
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}
