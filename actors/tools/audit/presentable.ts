/**
 * How a call looks in the audit log and in a question to its owner: without secrets, and of a
 * length that a person reads.
 * @module
 */

import { redactObject } from "../../config/redact.ts";
import { isList, type JsonObject, type JsonValue } from "../../kernel/json.ts";
import type { ToolNeeds } from "../tool.ts";

/** Characters of one text among the arguments that are kept. */
const TEXT_CHARS_MAX = 2_000;
const KEY_CHARS_MAX = 100;
/** Secrets within a text: of a command line, of an address. A question shows these, a log need not. */
const SECRETS_IN_TEXT: readonly (readonly [what: RegExp, instead: string])[] = [
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s/?#@:]{0,200}):[^\s/?#@]{1,500}@/gi, "$1:***@"],
  [
    /((?:passw(?:or)?d|secret|token|api[_-]?key)["']?\s{0,5}[=:]\s{0,5}["']?)[^\s"'&;|]{3,}/gi,
    "$1***",
  ],
];

/** Entries of a list or map that are kept, and levels of nesting. */
const ITEMS_MAX = 50;
const LEVELS_MAX = 6;

/**
 * Arguments without secrets, each part cut to size.
 *
 * @param secrets longest first
 */
export function presentableArguments(args: JsonObject, secrets: readonly string[]): JsonObject {
  return boundedObject(redactObject(args, secrets), 0);
}

/** What a tool may use, in words: `read workspace`, `run shell`, `send`. */
export function rightsOf(needs: ToolNeeds): string[] {
  return Object.entries(needs).map(([right, what]) =>
    what === true ? right : `${right} ${String(what)}`
  );
}

/** The text, or its beginning and how much is left out. */
export function cutText(text: string, charsMax: number): string {
  const left = text.length - charsMax;
  return left <= 0 ? text : `${text.slice(0, charsMax).toWellFormed()}… (${left} more characters)`;
}

function withoutSecrets(text: string): string {
  return SECRETS_IN_TEXT.reduce((left, [what, instead]) => left.replaceAll(what, instead), text);
}

function boundedObject(value: JsonObject, level: number): JsonObject {
  const entries = Object.entries(value);
  const kept = entries.slice(0, ITEMS_MAX)
    .map(([key, inner]) => [cutText(key, KEY_CHARS_MAX), bounded(inner, level + 1)]);
  const left = entries.length - kept.length;
  return Object.fromEntries(left > 0 ? [...kept, ["…", `(${left} more)`]] : kept);
}

function bounded(value: JsonValue, level: number): JsonValue {
  if (typeof value === "string") return cutText(withoutSecrets(value), TEXT_CHARS_MAX);
  if (typeof value !== "object" || value === null) return value;
  if (level > LEVELS_MAX) return "(nested deeper)";
  if (!isList(value)) return boundedObject(value, level);
  const left = value.length - ITEMS_MAX;
  const kept = value.slice(0, ITEMS_MAX).map((item) => bounded(item, level + 1));
  return left > 0 ? [...kept, `(${left} more)`] : kept;
}
