/**
 * Telling apart what JSON can hold.
 * @module
 */

import type { JsonObject, JsonValue } from "../actors/kernel/json.ts";

/** Whether a value is an object, and no list. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

/** Whether a value is a list. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
