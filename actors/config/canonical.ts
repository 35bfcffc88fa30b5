/**
 * Turns settings as they were written into settings under their camelCase keys.
 * @module
 */

import type { JsonObject, JsonValue } from "../kernel/json.ts";
import { type KeyPath, showPath } from "./key_path.ts";
import { type FoundField, type ObjectShape, type Shape, spellingsOf } from "./shape.ts";
import { nearestName } from "./spelling.ts";
import { isList, isObject } from "./tree.ts";

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
  const canonical: [string, JsonValue][] = [];
  for (const [written, value] of Object.entries(object)) {
    const match = spellings.get(written);
    if (match !== undefined) keepBetter(found, match, { written, rank: match.rank, value });
    else if (shape.rest === null) warnUnknown([...path, written], shape, warn);
    else canonical.push([written, canonicalValue(value, shape.rest, [...path, written], warn)]);
  }
  for (const [field, { written, value }] of found) {
    const fieldShape = shape.fields.get(field) ?? { kind: "any" };
    canonical.push([field, canonicalValue(value, fieldShape, [...path, field], warn)]);
    warnDoubled(object, spellings, field, written, path, warn);
  }
  return Object.fromEntries(canonical);
}

function keepBetter(found: Map<string, Candidate>, { field }: FoundField, other: Candidate): void {
  const present = found.get(field);
  if (present === undefined || other.rank < present.rank) found.set(field, other);
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
