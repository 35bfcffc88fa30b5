/**
 * Settings from the environment: `TROUPE_<SECTION>__<KEY>`, and the same under `NANOBOT_`.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import { canonicalSettings } from "./canonical.ts";
import type { KeyPath } from "./key_path.ts";
import { migrate } from "./migrations.ts";
import type { Report } from "./report.ts";
import { type ObjectShape, type Shape, spellingsOf } from "./shape.ts";
import { foldName } from "./spelling.ts";
import { mergeObjects, own } from "./tree.ts";

/** Prefixes of variables; the later one wins. */
const PREFIXES: readonly string[] = ["NANOBOT_", "TROUPE_"];

/** A key whose value comes from the environment. */
export interface Override {
  /** camelCase path. */
  readonly key: KeyPath;
  readonly variable: string;
}

/** A variable that names a setting. */
interface SettingVariable {
  readonly name: string;
  readonly rank: number;
  /** Parts of the name after the prefix. */
  readonly parts: readonly string[];
  readonly value: string;
}

/**
 * The settings with those of the environment above them. A variable for a single key wins over
 * one that holds a whole section as JSON.
 *
 * @param settings Settings under camelCase keys.
 */
export function withEnvironment(
  settings: JsonObject,
  env: Readonly<Record<string, string>>,
  shape: ObjectShape,
  report: Report,
): { readonly settings: JsonObject; readonly overrides: readonly Override[] } {
  let merged = settings;
  const overrides: Override[] = [];
  for (const variable of settingVariables(env, shape)) {
    const layer = variableSettings(variable, merged, shape, report);
    if (layer === null) continue;
    for (const key of leaves(layer, [])) {
      report.nameOrigin(key, variable.name);
      overrides.push({ key, variable: variable.name });
    }
    merged = mergeObjects(merged, layer);
  }
  return { settings: merged, overrides };
}

/** The variables whose first part is a section, in the order in which they apply. */
function settingVariables(
  env: Readonly<Record<string, string>>,
  shape: ObjectShape,
): readonly SettingVariable[] {
  const sections = new Set(shape.fields.keys());
  const found: SettingVariable[] = [];
  for (const [name, value] of Object.entries(env)) {
    const rank = PREFIXES.findIndex((prefix) => name.toUpperCase().startsWith(prefix));
    const prefix = PREFIXES[rank];
    if (prefix === undefined) continue;
    const parts = name.slice(prefix.length).split("__");
    if (parts.includes("") || !sections.has((parts[0] ?? "").toLowerCase())) continue;
    found.push({ name, rank, parts, value });
  }
  // Of `MAX_TOKENS` and `MAXTOKENS`, the shorter one applies later and so wins.
  return found.toSorted((one, other) =>
    one.rank - other.rank || one.parts.length - other.parts.length ||
    other.name.length - one.name.length || (one.name < other.name ? -1 : 1)
  );
}

/** What one variable sets, under camelCase keys; null when its value cannot be read. */
function variableSettings(
  { name, parts, value }: SettingVariable,
  beneath: JsonObject,
  shape: ObjectShape,
  report: Report,
): JsonObject | null {
  const { keys, target } = resolveParts(parts, beneath, shape);
  const parsed = parseValue(value, target);
  if (parsed === undefined) {
    const what = target?.kind === "list" ? "a JSON list" : "a JSON object";
    report.refuseVariable(name, `does not hold ${what}`, `write ${what} or unset it`);
    return null;
  }
  const nested = keys.reduceRight<JsonValue>(
    (inner, key) => Object.fromEntries([[key, inner]]),
    parsed,
  );
  if (!isObject(nested)) return null;
  return canonicalSettings(
    migrate(nested, report),
    shape,
    (path, sentence) => report.warn(path, `${sentence} (from ${name})`),
  );
}

/** The keys that the parts of a name mean, and what is expected there, as far as it is known. */
function resolveParts(
  parts: readonly string[],
  beneath: JsonObject,
  shape: ObjectShape,
): { readonly keys: readonly string[]; readonly target: Shape | null } {
  const keys: string[] = [];
  let target: Shape | null = shape;
  let present: JsonValue | undefined = beneath;
  for (const part of parts) {
    const key: string = target?.kind === "object"
      ? resolvePart(part, target, present)
      : part.toLowerCase();
    keys.push(key);
    target = target?.kind === "object" ? target.fields.get(key) ?? target.rest : null;
    present = own(present, key);
  }
  return { keys, target };
}

function resolvePart(part: string, shape: ObjectShape, present: JsonValue | undefined): string {
  const wanted = foldName(part);
  for (const [spelling, { field }] of spellingsOf(shape)) {
    if (foldName(spelling) === wanted) return field;
  }
  if (shape.rest === null) return part.toLowerCase();
  // Free keys: the one in the file, else names of variables as they are, and other names small.
  const inFile = isObject(present)
    ? Object.keys(present).find((key) => foldName(key) === wanted)
    : undefined;
  return inFile ?? (shape.rest.kind === "text" ? part : part.toLowerCase());
}

/** Objects and lists are written as JSON; undefined when they are not. */
function parseValue(value: string, target: Shape | null): JsonValue | undefined {
  if (target?.kind !== "object" && target?.kind !== "list" && target?.kind !== "any") return value;
  const parsed = parseJson(value);
  if (target.kind === "object") return isObject(parsed) ? parsed : undefined;
  if (target.kind === "list") return isList(parsed) ? parsed : undefined;
  return isObject(parsed) || isList(parsed) ? parsed : value;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function leaves(value: JsonValue, path: KeyPath): readonly KeyPath[] {
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}
