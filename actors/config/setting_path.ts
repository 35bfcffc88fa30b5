/**
 * A key as people write it, `tools.mcpServers.files.args[1]`, and the setting that it means.
 * @module
 */

import { isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import { type KeyPath, quote, showPath } from "./key_path.ts";
import { type ObjectShape, type Shape, spellingsOf } from "./shape.ts";
import { foldName, nearestName } from "./spelling.ts";
import { own } from "./tree.ts";

/** A setting, or why there is none of that name. */
export type SettingLookup =
  | {
    readonly state: "found";
    /** Known keys in camelCase, free ones as they were written. */
    readonly path: KeyPath;
    /** What is expected there. */
    readonly shape: Shape;
  }
  /** `problem` is a sentence with the nearest key. */
  | { readonly state: "unknown"; readonly problem: string };

/** `name`, `.name`, `[1]` or `["any name"]` at the beginning. */
const PART = /^(?:\.?([^.[\]"\s]+)|\[(\d{1,6})\]|\[("(?:[^"\\]|\\.)*")\])/;

/**
 * Finds the setting that a key means, in any spelling.
 *
 * @param shape that of the whole configuration
 * @param present the settings that there are: a section of theirs needs no known name
 */
export function findSetting(
  written: string,
  shape: ObjectShape,
  present: JsonObject,
): SettingLookup {
  const parts = partsOf(written);
  if (parts === null) {
    const problem = `Cannot read the key ${quote(written)}: write it as tools.exec.timeout`;
    return { state: "unknown", problem };
  }
  const path: (string | number)[] = [];
  let at: Shape = shape;
  let there: JsonValue | undefined = present;
  for (const part of parts) {
    const step = stepInto(at, part, there);
    if (step === null) return { state: "unknown", problem: unknown([...path, part], at) };
    path.push(step.key);
    at = step.shape;
    there = typeof step.key === "string" ? own(there, step.key) : undefined;
  }
  return { state: "found", path, shape: at };
}

/** The parts of a key; null when it cannot be read. */
function partsOf(written: string): KeyPath | null {
  const parts: (string | number)[] = [];
  for (let rest = written.trim(); rest !== "";) {
    const [whole, name, index, text] = PART.exec(rest) ?? [];
    if (whole === undefined) return null;
    if (name !== undefined) parts.push(name);
    else if (index !== undefined) parts.push(Number(index));
    else if (text !== undefined) {
      const name = unquoted(text);
      if (name === null) return null;
      parts.push(name);
    }
    rest = rest.slice(whole.length);
  }
  return parts.length === 0 ? null : parts;
}

function unquoted(text: string): string | null {
  try {
    return String(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return null; // such as \x
    throw error;
  }
}

interface Step {
  readonly key: string | number;
  readonly shape: Shape;
}

function stepInto(at: Shape, part: string | number, there: JsonValue | undefined): Step | null {
  if (at.kind === "any") return { key: part, shape: at };
  if (at.kind === "list") return typeof part === "number" ? { key: part, shape: at.item } : null;
  if (at.kind !== "object") return null;
  const name = String(part);
  const known = knownField(at, name);
  if (known !== null) return { key: known, shape: at.fields.get(known) ?? { kind: "any" } };
  if (at.rest === null) return null;
  // A section of one's own may have any name, but hardly one that is nearly another one's.
  const isOwn = at.rest.kind !== "any" || isObject(own(there, name));
  return isOwn || nearestName(name, at.fields.keys()) === null
    ? { key: name, shape: at.rest }
    : null;
}

function knownField(shape: ObjectShape, name: string): string | null {
  const spellings = spellingsOf(shape);
  const exact = spellings.get(name)?.field;
  if (exact !== undefined) return exact;
  const folded = foldName(name);
  return [...spellings].find(([spelling]) => foldName(spelling) === folded)?.[1].field ?? null;
}

function unknown(path: KeyPath, at: Shape): string {
  const known = at.kind === "object" ? [...at.fields.keys()] : [];
  const nearest = nearestName(String(path.at(-1) ?? ""), known);
  const parent = path.slice(0, -1);
  const advice = nearest !== null
    ? `did you mean ${showPath([...parent, nearest])}?`
    : known.length > 0
    ? `there are ${known.join(", ")}`
    : "nothing stands below that key";
  return `Cannot find the key ${showPath(path)}: ${advice}`;
}
