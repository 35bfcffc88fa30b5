/**
 * Texts and JSON as SQLite can keep them. It cuts text at a NUL and cannot hold half a surrogate
 * pair, so strings with either are kept as JSON; a leading quote tells the two forms apart.
 * @module
 */

import { isObject, type JsonObject, type JsonValue } from "../../kernel/json.ts";

/** The text for a column. */
export function encodeText(value: string): string {
  const isPlain = !value.startsWith('"') && !value.includes("\0") && value.isWellFormed();
  return isPlain ? value : JSON.stringify(value);
}

/** The same where there may be none. */
export function encodeNullable(value: string | null): string | null {
  return value === null ? null : encodeText(value);
}

/**
 * The text that {@link encodeText} was given.
 *
 * @throws {SyntaxError} when the column holds something else
 */
export function decodeText(column: string): string {
  if (!column.startsWith('"')) return column;
  const value = decodeJson(column);
  if (typeof value !== "string") throw new SyntaxError("Cannot decode a text: it is none");
  return value;
}

/** The same where there may be none. */
export function decodeNullable(column: string | null): string | null {
  return column === null ? null : decodeText(column);
}

/**
 * The value that a JSON column holds; not looked into.
 *
 * @throws {SyntaxError} when it is no JSON
 */
export function decodeJson(column: string): JsonValue {
  return JSON.parse(column);
}

/**
 * The object that a JSON column holds.
 *
 * @throws {SyntaxError} when it is something else
 */
export function decodeJsonObject(column: string): JsonObject {
  const value = decodeJson(column);
  if (isObject(value)) return value;
  throw new SyntaxError("Cannot decode an object: it is none");
}
