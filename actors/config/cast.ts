/**
 * Reads what people write for a value that has another type: `"123"`, `"yes"`, `1`.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import type { Shape } from "./shape.ts";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const TRUE_WORDS: ReadonlySet<string> = new Set(["true", "t", "yes", "y", "on", "1"]);
const FALSE_WORDS: ReadonlySet<string> = new Set(["false", "f", "no", "n", "off", "0"]);

/**
 * The value with text cast to numbers and booleans, and 0 and 1 to booleans, where these are
 * expected. What cannot be cast stays as it is, for the schema to refuse.
 */
export function castValue(value: JsonValue, shape: Shape): JsonValue {
  switch (shape.kind) {
    case "object":
      return isObject(value) ? castObject(value, shape) : value;
    case "list":
      return isList(value) ? value.map((item) => castValue(item, shape.item)) : value;
    case "number":
      return typeof value === "string" && NUMBER.test(value.trim()) ? Number(value) : value;
    case "boolean":
      return castBoolean(value);
    case "text":
    case "any":
      return value;
  }
}

function castObject(object: JsonObject, shape: Shape & { readonly kind: "object" }): JsonObject {
  const entries = Object.entries(object).map(([key, value]) => {
    const expected = shape.fields.get(key) ?? shape.rest;
    return [key, expected === null ? value : castValue(value, expected)] as const;
  });
  return Object.fromEntries(entries);
}

function castBoolean(value: JsonValue): JsonValue {
  if (value === 0 || value === 1) return value === 1;
  if (typeof value !== "string") return value;
  const word = value.trim().toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : value;
}
