/**
 * The user's own fields in a request.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../../actors/kernel/json.ts";

/** Lists that grow instead of being replaced. */
const GROWING: ReadonlySet<string> = new Set(["tools", "include"]);

/** The body with `extra` laid over it: objects merge, `tools` and `include` get longer. */
export function mergeBody(body: JsonObject, extra: JsonObject | undefined): JsonObject {
  if (extra === undefined) return body;
  const merged: Record<string, JsonValue> = { ...body };
  for (const [name, value] of Object.entries(extra)) {
    merged[name] = mergeValue(name, merged[name], value);
  }
  return merged;
}

function mergeValue(name: string, below: JsonValue | undefined, above: JsonValue): JsonValue {
  if (isList(below) && isList(above) && GROWING.has(name)) {
    return [...below, ...above.filter((item) => !below.includes(item))];
  }
  return isObject(below) && isObject(above) ? mergeBody(below, above) : above;
}
