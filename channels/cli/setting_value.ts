/**
 * What somebody types for a setting's value.
 * @module
 */

import { castValue } from "../../actors/config/cast.ts";
import type { Shape } from "../../actors/config/shape.ts";
import { isList, isObject, type JsonValue } from "../../actors/kernel/json.ts";

/** A value, or what is wrong with it as an imperative: `write a number`. */
export type SettingValue =
  | { readonly state: "ok"; readonly value: JsonValue }
  | { readonly state: "wrong"; readonly remedy: string };

/** Reads text as the kind of value that a setting takes; `null` and placeholders go everywhere. */
export function settingValue(text: string, shape: Shape): SettingValue {
  if (text === "null") return ok(null);
  switch (shape.kind) {
    case "text":
      return ok(text);
    case "number":
    case "boolean":
      return scalar(text, shape);
    case "list": {
      const list = parsed(text);
      return isList(list) ? ok(list) : wrong(`write a JSON list, such as '["a", "b"]'`);
    }
    case "object": {
      const object = parsed(text);
      return isObject(object) ? ok(object) : wrong(`write a JSON object, or name a key below it`);
    }
    case "any":
      return ok(parsed(text) ?? text);
  }
}

function scalar(text: string, shape: Shape): SettingValue {
  const value = castValue(text, shape);
  if (typeof value !== "string" || /\$\{\w+\}/.test(text)) return ok(value);
  return wrong(shape.kind === "number" ? "write a number" : "write true or false");
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ok(value: JsonValue): SettingValue {
  return { state: "ok", value };
}

function wrong(remedy: string): SettingValue {
  return { state: "wrong", remedy };
}
