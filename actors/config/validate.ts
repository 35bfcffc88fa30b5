/**
 * Checks settings against a schema and says in words what does not fit. Words never hold values.
 * @module
 */

import type { z } from "zod";
import { isList, type JsonValue } from "../kernel/json.ts";
import type { KeyPath } from "./key_path.ts";
import type { Problem, Report } from "./report.ts";
import { kindOf, own } from "./tree.ts";

/** What zod calls a type, in words. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/**
 * The settings as the schema gives them, or null after all that is wrong went to the report.
 *
 * @param start Path of the settings within the configuration.
 */
export function validate<T>(
  settings: JsonValue,
  schema: z.ZodType<T>,
  start: KeyPath,
  report: Report,
): T | null {
  const result = schema.safeParse(settings);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const keys = issue.path.map((part) => typeof part === "number" ? part : String(part));
    const path = [...start, ...keys];
    // One sentence per key: the first says what matters, the rest follow from it.
    if (!report.hasFault(path)) report.refuse(path, problemOf(issue, valueAt(settings, keys)));
  }
  return null;
}

function problemOf(issue: z.core.$ZodIssue, found: JsonValue | undefined): Problem {
  const code = "config_value_invalid";
  const what = describeIssue(issue, found);
  if (issue.code === "invalid_type") {
    const expected = TYPE_WORDS[issue.expected] ?? issue.expected;
    const orNot = found === undefined ? "" : " or leave it out";
    return { code, what, remedy: `write ${expected}${orNot}` };
  }
  return { code, what, remedy: "correct it or leave it out" };
}

function describeIssue(issue: z.core.$ZodIssue, found: JsonValue | undefined): string {
  switch (issue.code) {
    case "invalid_type": {
      const expected = TYPE_WORDS[issue.expected] ?? issue.expected;
      return found === undefined ? "is missing" : `is ${kindOf(found)} instead of ${expected}`;
    }
    case "too_small":
      if (issue.origin === "string") return "is empty or too short";
      return `is less than ${issue.minimum}${issue.inclusive === false ? " or equal to it" : ""}`;
    case "too_big":
      return issue.origin === "string" ? "is too long" : `is more than ${issue.maximum}`;
    case "invalid_value": {
      const values = issue.values.filter((value) => value !== "").map((value) => String(value));
      return `is none of ${values.join(", ")}`;
    }
    case "invalid_union":
      return "has none of the accepted forms";
    default:
      return /^(is|must|has|needs|holds)\b/.test(issue.message)
        ? issue.message
        : `is not usable (${issue.message})`;
  }
}

function valueAt(settings: JsonValue, path: KeyPath): JsonValue | undefined {
  let value: JsonValue | undefined = settings;
  for (const part of path) {
    if (typeof part === "string") value = own(value, part);
    else value = isList(value) ? value[part] : undefined;
  }
  return value;
}
