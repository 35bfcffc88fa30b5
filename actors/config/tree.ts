/**
 * Small operations on JSON objects that are safe for any key, `__proto__` included.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";

/** The object's own value under `key`. */
export function own(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A copy with `key` set. */
export function withKey(object: JsonObject, key: string, value: JsonValue): JsonObject {
  return Object.fromEntries([...Object.entries(object), [key, value]]);
}

/** A copy without `key`. */
export function withoutKey(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** Both objects as one, recursively; where they differ, and for lists, `upper` counts. */
export function mergeObjects(lower: JsonObject, upper: JsonObject): JsonObject {
  const merged = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    const beneath = merged.get(key);
    merged.set(key, isObject(beneath) && isObject(value) ? mergeObjects(beneath, value) : value);
  }
  return Object.fromEntries(merged);
}

/** What kind of value this is, for people; never the value itself. */
export function kindOf(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (isList(value)) return "a list";
  const kinds = {
    object: "an object",
    string: "text",
    number: "a number",
    boolean: "true or false",
  };
  const type = typeof value;
  return type === "object" || type === "string" || type === "number" || type === "boolean"
    ? kinds[type]
    : "something else";
}
