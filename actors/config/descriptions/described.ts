/**
 * A JSON Schema with what is said of each of its keys, for editors to show.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../../kernel/json.ts";
import { plainText, type SettingTexts } from "./setting_text.ts";

/** The same schema with a `description` at each key that there is a text for. */
export function described(schema: JsonObject, texts: SettingTexts): JsonObject {
  return below(schema, "", texts);
}

function at(value: JsonValue, path: string, texts: SettingTexts): JsonValue {
  if (!isObject(value)) return value;
  const text = texts[path];
  const made = below(value, path, texts);
  return text === undefined ? made : { description: plainText(text), ...made };
}

function below(schema: JsonObject, path: string, texts: SettingTexts): JsonObject {
  const inside = (key: string) => path === "" ? key : `${path}.${key}`;
  const entries = Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
    switch (keyword) {
      case "properties":
        return [keyword, properties(value, inside, texts)];
      case "additionalProperties":
        return [keyword, at(value, inside("<name>"), texts)];
      case "items":
        return [keyword, at(value, `${path}[]`, texts)];
      case "anyOf":
        return [keyword, variants(value, path, texts)];
      default:
        return [keyword, value];
    }
  });
  return Object.fromEntries(entries);
}

function properties(
  value: JsonValue,
  inside: (key: string) => string,
  texts: SettingTexts,
): JsonValue {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, schema]) => [key, at(schema, inside(key), texts)]),
  );
}

/** What may be one of several things is described as a whole, and each thing's keys on their own. */
function variants(value: JsonValue, path: string, texts: SettingTexts): JsonValue {
  if (!isList(value)) return value;
  return value.map((one) => isObject(one) ? below(one, path, texts) : one);
}
