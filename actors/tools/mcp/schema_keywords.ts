/**
 * Keywords of JSON Schema with values that mean something. A model's provider refuses a request
 * with one schema that makes no sense, and all other tools with it.
 * @module
 */

import { isList, isObject, type JsonValue } from "../../kernel/json.ts";

/** Keywords whose value is a schema, a list of them, or a map of them. */
export const SINGLE: ReadonlySet<string> = new Set([
  ...["items", "additionalProperties", "not", "contains", "propertyNames"],
]);
export const LISTS: ReadonlySet<string> = new Set(["oneOf", "anyOf", "allOf", "prefixItems"]);
export const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties"]);

const TYPES: ReadonlySet<JsonValue> = new Set([
  ...["string", "number", "integer", "boolean", "object", "array", "null"],
]);
const TEXTS: ReadonlySet<string> = new Set(["description", "title", "format", "pattern"]);
const NUMBERS: ReadonlySet<string> = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
]);
const COUNTS: ReadonlySet<string> = new Set([
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
]);
const SWITCHES: ReadonlySet<string> = new Set([
  ...["uniqueItems", "nullable", "deprecated", "readOnly", "writeOnly"],
]);

/** What of a keyword's value means something; undefined where nothing does. */
export function meantValue(keyword: string, value: JsonValue): JsonValue | undefined {
  const when = (isMeant: boolean) => isMeant ? value : undefined;
  if (keyword === "type") return meantType(value);
  if (keyword === "required") return notEmpty(itemsOf(value).filter(isText));
  if (keyword === "enum") return notEmpty(itemsOf(value));
  // A list of schemas, one for each place, is of an older standard.
  if (keyword === "items") return isObject(value) ? value : {};
  if (keyword === "additionalProperties") return when(isObject(value) || isSwitch(value));
  if (LISTS.has(keyword)) return notEmpty(itemsOf(value).filter(isObject));
  if (SINGLE.has(keyword) || MAPS.has(keyword)) return when(isObject(value));
  if (TEXTS.has(keyword)) return when(isText(value));
  if (NUMBERS.has(keyword)) return when(typeof value === "number");
  if (COUNTS.has(keyword)) return when(Number.isSafeInteger(value) && Number(value) >= 0);
  return SWITCHES.has(keyword) ? when(isSwitch(value)) : value;
}

function meantType(value: JsonValue): JsonValue | undefined {
  if (!isList(value)) return TYPES.has(value) ? value : undefined;
  return notEmpty(value.filter((type) => TYPES.has(type)));
}

function notEmpty(items: readonly JsonValue[]): JsonValue | undefined {
  return items.length === 0 ? undefined : [...new Set(items)];
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  return isList(value) ? value : [];
}

function isText(value: JsonValue): value is string {
  return typeof value === "string";
}

function isSwitch(value: JsonValue): value is boolean {
  return typeof value === "boolean";
}
