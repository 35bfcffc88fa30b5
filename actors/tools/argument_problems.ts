/**
 * What is wrong with the arguments of a call, so that the model can repair them.
 * @module
 */

import type { z } from "zod";
import { isObject, type JsonObject } from "../kernel/json.ts";

/** More at once is no help. */
const PROBLEMS_MAX = 6;

/** A line that names the problems and what the tool takes. */
export function argumentProblems(
  toolName: string,
  issues: readonly z.core.$ZodIssue[],
  { args, schema }: { readonly args: JsonObject; readonly schema: JsonObject },
): string {
  const problems = issues.slice(0, PROBLEMS_MAX).map((issue) => problemOf(issue, args));
  const more = issues.length > PROBLEMS_MAX ? [`${issues.length - PROBLEMS_MAX} more`] : [];
  const what = [...problems, ...more].join("; ");
  return `Cannot run "${toolName}" with these arguments: ${what}. It takes ${signature(schema)}`;
}

function problemOf({ path, message }: z.core.$ZodIssue, args: JsonObject): string {
  const name = path.map(String).join(".");
  if (name === "") return message;
  return isMissing(args, path) ? `${name} is missing` : `${name}: ${message}`;
}

function isMissing(args: JsonObject, path: readonly PropertyKey[]): boolean {
  let value: unknown = args;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return false;
    value = Reflect.get(value, key);
  }
  return value === undefined;
}

/** `path (string), offset (integer, optional)`. */
function signature({ properties, required }: JsonObject): string {
  const names = Array.isArray(required) ? required : [];
  const entries = isObject(properties) ? Object.entries(properties) : [];
  const shown = entries.map(([name, schema]) => {
    const type = isObject(schema) && typeof schema["type"] === "string" ? schema["type"] : "any";
    return `${name} (${type}${names.includes(name) ? "" : ", optional"})`;
  });
  return shown.length === 0 ? "no arguments" : shown.join(", ");
}
