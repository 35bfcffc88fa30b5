/**
 * The keys of the configuration, one by one, with what the schema and the texts say of them.
 * @module
 */

import { wholeSchema } from "../../actors/config/json_schema.ts";
import type { SettingText, SettingTexts } from "../../actors/config/descriptions/setting_text.ts";
import { isList, isObject, type JsonObject, type JsonValue } from "../../actors/kernel/json.ts";
import { channelManifests } from "../../channels/registry.ts";
import { takes } from "./takes.ts";

/** What the page says of a key. */
export interface SettingRow {
  /** The way from the root; free keys are `<name>`, items of a list `[]`. */
  readonly key: string;
  readonly takes: string;
  /** Undefined where the key is needed. */
  readonly usual: JsonValue | undefined;
  readonly text: string;
}

/** A key of the schema. Those that only hold others have no row, but a text for editors. */
export interface SettingPlace {
  readonly key: string;
  readonly schema: JsonObject;
  readonly hasRow: boolean;
}

/** All keys of the configuration, in the order of the schema. */
export function settingPlaces(): readonly SettingPlace[] {
  const places = below(wholeSchema(channelManifests), "");
  // Bots of one channel take its keys, which stand in the rows of the section.
  const keys = new Set(places.map(({ key }) => key));
  return places.map((place) =>
    keys.has(place.key.replace("instances[].", "")) && place.key.includes("instances[].")
      ? { ...place, hasRow: false }
      : place
  );
}

/** The rows of all keys that take a value. */
export function settingRows(texts: SettingTexts): readonly SettingRow[] {
  return settingPlaces().filter(({ hasRow }) => hasRow).map(({ key, schema }) => {
    const said = asWords(texts[key] ?? "");
    return {
      key,
      takes: said.takes ?? takes(schema),
      usual: schema["default"],
      text: said.text,
    };
  });
}

function asWords(text: SettingText): { readonly takes?: string; readonly text: string } {
  return typeof text === "string" ? { text } : text;
}

/** The keys inside an object, a list of objects, or a map of objects. */
function below(schema: JsonObject, path: string): readonly SettingPlace[] {
  const inside = (key: string) => path === "" ? key : `${path}.${key}`;
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const named = Object.entries(properties).flatMap(([key, value]) => at(value, inside(key)));
  const others = withKeys(schema["additionalProperties"]);
  return others === null ? named : [...named, ...at(others, inside("<name>"))];
}

function at(value: JsonValue, path: string): readonly SettingPlace[] {
  if (!isObject(value)) return [];
  const place = { key: path, schema: value };
  const item = withKeys(value["items"]);
  if (item !== null) return [{ ...place, hasRow: true }, ...at(item, `${path}[]`)];
  const inner = withKeys(value);
  const isMapOfObjects = withKeys(value["additionalProperties"]) !== null;
  if (inner === null && !isMapOfObjects) return [{ ...place, hasRow: true }];
  return [{ ...place, hasRow: false }, ...below(inner ?? value, path)];
}

/** The schema, or the one of its variants, that has keys of its own. */
function withKeys(schema: JsonValue | undefined): JsonObject | null {
  if (!isObject(schema)) return null;
  if (isObject(schema["properties"])) return schema;
  const variants = isList(schema["anyOf"]) ? schema["anyOf"] : [];
  return variants.filter(isObject).find(({ properties }) => isObject(properties)) ?? null;
}
