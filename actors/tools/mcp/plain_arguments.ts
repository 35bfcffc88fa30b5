/**
 * Names of arguments in the letters that all providers take: `$filter` is shown as `_filter`, and
 * becomes `$filter` again on the way to its server.
 * @module
 */

import { isList, isObject, type JsonObject } from "../../kernel/json.ts";
import { toolNames } from "./tool_names.ts";

/** What providers take; one other name costs the whole request. */
const PLAIN = /^[\w.-]{1,64}$/;

/** A schema for models, and what of its arguments is called otherwise by the server. */
export interface PlainArguments {
  readonly shown: JsonObject;
  /** The server's names by those that models see. */
  readonly rawNames: ReadonlyMap<string, string>;
}

/** The schema with names that providers take; nested ones stay as they are. */
export function withPlainNames(schema: JsonObject): PlainArguments {
  const { properties = {}, required } = schema;
  const raws = isObject(properties) ? Object.keys(properties) : [];
  if (!isObject(properties) || raws.every((raw) => PLAIN.test(raw))) {
    return { shown: schema, rawNames: new Map() };
  }
  const made = toolNames(raws.map((raw) => ({ key: raw, raw })), { prefix: "", others: [] });
  const nameOf = (raw: string) => PLAIN.test(raw) ? raw : made.get(raw) ?? raw;
  const odd = raws.filter((raw) => !PLAIN.test(raw));
  const rawNames = new Map(odd.map((raw) => [nameOf(raw), raw] as const));
  const entries = Object.entries(properties).map(([raw, value]) => [nameOf(raw), value] as const);
  const shown = { ...schema, properties: Object.fromEntries(entries) };
  if (!isList(required)) return { shown, rawNames };
  const names = required.map((raw) => typeof raw === "string" ? nameOf(raw) : raw);
  return { shown: { ...shown, required: names }, rawNames };
}
