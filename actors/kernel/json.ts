/**
 * Data that survives JSON, and telling apart what it can be.
 * @module
 */

/** Any JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Whether a value is an object, and no list. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

/** Whether a value is a list. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Nobody means what is nested deeper; who walks it runs out of stack some way below. */
const LEVELS_MAX = 256;

/** Whether a value from elsewhere nests in more levels; a text is not looked into. */
export function isTooDeep(value: unknown, levelsMax: number = LEVELS_MAX): boolean {
  let level = [value].filter(isNesting);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= levelsMax) return true;
    level = level.flatMap((each) => Object.values(each)).filter(isNesting);
  }
  return false;
}

function isNesting(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The same value, which nobody else can change. */
export function copyJson(value: JsonObject): JsonObject;
export function copyJson(value: JsonValue): JsonValue;
export function copyJson(value: JsonValue): JsonValue {
  if (isList(value)) return value.map((item) => copyJson(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyJson(item)]));
}

/** A JSON object of what is plain data in `values`; errors become their message. */
export function asJson(values: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, toJson(value)]));
}

function toJson(value: unknown): JsonValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Error) return value.message;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === "object") return asJson(Object.fromEntries(Object.entries(value)));
  return String(value);
}
