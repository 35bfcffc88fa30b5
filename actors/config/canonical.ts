/**
 * Turns settings as they were written into settings under their camelCase keys.
 * @module
 */

import { isList, isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import { type KeyPath, showPath } from "./key_path.ts";
import { type FoundField, type ObjectShape, type Shape, spellingsOf } from "./shape.ts";
import { nearestName } from "./spelling.ts";

/** Takes a warning about the key at `path`. */
export type Warn = (path: KeyPath, sentence: string) => void;

/** A value under a written key that means a field. */
interface Candidate {
  readonly written: string;
  readonly rank: number;
  readonly value: JsonValue;
}

/**
 * The settings under camelCase keys. Where two spellings of a key stand in one object, camelCase
 * counts; keys that nobody knows are left out. Both with a warning.
 */
export function canonicalSettings(
  settings: JsonObject,
  shape: ObjectShape,
  warn: Warn,
): JsonObject {
  return canonicalObject(settings, shape, [], warn);
}

function canonicalValue(value: JsonValue, shape: Shape, path: KeyPath, warn: Warn): JsonValue {
  if (shape.kind === "object" && isObject(value)) {
    return canonicalObject(value, shape, path, warn);
  }
  if (shape.kind === "list" && isList(value)) {
    return value.map((item, index) => canonicalValue(item, shape.item, [...path, index], warn));
  }
  return value;
}

function canonicalObject(
  object: JsonObject,
  shape: ObjectShape,
  path: KeyPath,
  warn: Warn,
): JsonObject {
  const spellings = spellingsOf(shape);
  const found = new Map<string, Candidate>();
  for (const [written, value] of Object.entries(object)) {
    const { field, rank } = spellings.get(written) ?? { field: written, rank: 0 };
    const present = found.get(field);
    if (!spellings.has(written) && shape.rest === null) {
      warnUnknown([...path, written], shape, warn);
    } else if (present === undefined || rank < present.rank) {
      found.set(field, { written, rank, value });
    }
  }
  const canonical: [string, JsonValue][] = [];
  for (const [field, { written, value }] of found) {
    const expected = shape.fields.get(field) ?? shape.rest ?? { kind: "any" };
    canonical.push([field, canonicalValue(value, expected, [...path, field], warn)]);
    warnDoubled(object, spellings, field, written, path, warn);
  }
  return Object.fromEntries(canonical);
}

function warnDoubled(
  object: JsonObject,
  spellings: ReadonlyMap<string, FoundField>,
  field: string,
  kept: string,
  path: KeyPath,
  warn: Warn,
): void {
  for (const written of Object.keys(object)) {
    if (written === kept || spellings.get(written)?.field !== field) continue;
    const ignored = [...path, written];
    warn(
      ignored,
      `${showPath(ignored)} is ignored, as ${kept} is there as well: remove one of them`,
    );
  }
}

function warnUnknown(path: KeyPath, shape: ObjectShape, warn: Warn): void {
  warn(path, unknownKeySentence(path, shape.fields.keys()));
}

/** Says that a key is not known, and which one was probably meant. */
export function unknownKeySentence(path: KeyPath, known: Iterable<string>): string {
  const nearest = nearestName(String(path.at(-1) ?? ""), known);
  const advice = nearest === null
    ? "check its name"
    : `did you mean ${showPath([...path.slice(0, -1), nearest])}?`;
  return `Unknown key ${showPath(path)} is ignored: ${advice}`;
}
