/**
 * Arguments as models send them, brought into the types of the schema where no meaning is lost:
 * "42" for an integer, "yes" for a boolean, an object for a text, null for "not given".
 * @module
 */

import type { JsonObject, JsonValue } from "../kernel/json.ts";

const TRUE_WORDS = new Set(["true", "1", "yes"]);
const FALSE_WORDS = new Set(["false", "0", "no"]);
const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A copy of `args` cast by the properties of `schema`; what is not declared stays as it is. */
export function castArguments(args: JsonObject, schema: JsonObject): JsonObject {
  const properties = asObject(schema["properties"]) ?? {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const cast: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(args)) {
    const property = asObject(properties[key]);
    if (property === undefined) cast[key] = value;
    else if (value !== null || allowsNull(property)) cast[key] = castValue(value, property);
    else if (required.includes(key)) cast[key] = value;
  }
  return cast;
}

function castValue(value: JsonValue, schema: JsonObject): JsonValue {
  const object = asObject(value);
  switch (typeOf(schema)) {
    case "integer":
      return castInteger(value);
    case "number":
      return typeof value === "string" && NUMBER.test(value.trim()) ? Number(value) : value;
    case "boolean":
      return castBoolean(value);
    case "string":
      return castString(value);
    case "array":
      return castItems(value, asObject(schema["items"]));
    case "object":
      return object === undefined ? value : castArguments(object, schema);
    default:
      return value;
  }
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

function castItems(value: JsonValue, items: JsonObject | undefined): JsonValue {
  if (!Array.isArray(value) || items === undefined) return value;
  return value.map((item: JsonValue) => castValue(item, items));
}

function typeOf(schema: JsonObject): JsonValue | undefined {
  const { type } = schema;
  return Array.isArray(type) ? type.find((name) => name !== "null") : type;
}

function allowsNull(schema: JsonObject): boolean {
  const { type, anyOf } = schema;
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true;
  return Array.isArray(anyOf) && anyOf.some((option: JsonValue) => {
    const object = asObject(option);
    return object !== undefined && allowsNull(object);
  });
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
