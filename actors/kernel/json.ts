/**
 * Data that survives JSON.
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
