/**
 * What a key takes, in words, as its JSON Schema tells it.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../../actors/kernel/json.ts";

const PORT_MAX = 65_535;

/** `switch`, `port`, `whole number from 1 to 100, or null`, `` `a` or `b` ``, `list of text`, …. */
export function takes(schema: JsonObject): string {
  const { type, enum: choices, const: only, anyOf } = schema;
  if (isList(anyOf)) return variants(anyOf.filter(isObject));
  if (only !== undefined) return `\`${String(only)}\``;
  if (isList(choices)) return oneOf(choices.filter((word) => word !== "").map(asCode));
  if (isText(schema)) return "text";
  if (isList(type)) return variants(type.map((one) => ({ ...schema, type: one })));
  switch (type) {
    case "boolean":
      return "switch";
    case "integer":
      return numbers(schema, "whole number");
    case "number":
      return numbers(schema, "number");
    case "array":
      return isText(schema["items"]) ? "list of text" : "list";
    case "object":
      return isText(schema["additionalProperties"]) ? "map of text" : "map";
    default:
      return "text";
  }
}

function variants(schemas: readonly JsonObject[]): string {
  const words = schemas.filter(({ type }) => type !== "null").map(takes);
  if (words.length === schemas.length) return oneOf(words);
  const [first = "", ...others] = words;
  if (others.length > 0) return oneOf([...words, "null"]);
  if (first.startsWith("`")) return `${first.replace(" or ", ", ")} or null`;
  return first.includes(" ") ? `${first}, or null` : `${first} or null`;
}

function numbers(schema: JsonObject, what: string): string {
  const least = bound(schema["minimum"]);
  const above = bound(schema["exclusiveMinimum"]);
  const most = bound(schema["maximum"]);
  if (least === 0 && most === PORT_MAX) return "port";
  if (above !== null) return `${what} above ${above}${most === null ? "" : `, at most ${most}`}`;
  if (least === null) return what;
  return most === null ? `${what}, at least ${least}` : `${what} from ${least} to ${most}`;
}

/** Bounds that are only those of numbers themselves are none. */
function bound(value: JsonValue | undefined): number | null {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null;
}

/** Text that is free. Where a number may stand for it, it is text all the same. */
function isText(schema: JsonValue | undefined): boolean {
  if (!isObject(schema) || schema["enum"] !== undefined) return false;
  const { type } = schema;
  return type === "string" || (isList(type) && type.join() === "string,integer");
}

function oneOf(words: readonly string[]): string {
  return new Intl.ListFormat("en", { type: "disjunction" }).format(words).replace(/, or /, " or ");
}

function asCode(word: JsonValue): string {
  return `\`${String(word)}\``;
}
