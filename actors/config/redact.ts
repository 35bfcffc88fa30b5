/**
 * Blots secrets out of what is written down or shown.
 * @module
 */

import { isList, type JsonObject, type JsonValue } from "../kernel/json.ts";
import { isSecretName } from "./secrets.ts";

/** What stands in place of a secret. */
export const MASK = "***";
/** Shorter values are too common to be taken out of every line. */
const SECRET_CHARS_MIN = 6;
/** What looks like a key, wherever it comes from. */
const KEY_PATTERNS = [
  /\b(sk|pk|rk|xox[abeprs]|ghp|gho|t)-[A-Za-z0-9_-]{12,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi,
];

/**
 * The text with all secrets, and all that look like keys, blotted out.
 *
 * @param secrets longest first
 */
export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) {
    if (secret.length >= SECRET_CHARS_MIN) redacted = redacted.replaceAll(secret, MASK);
  }
  for (const pattern of KEY_PATTERNS) redacted = redacted.replaceAll(pattern, `$1 ${MASK}`);
  return redacted;
}

/** The same for every text in a value, keys included; what is named like a secret goes whole. */
export function redactValue(value: JsonValue, secrets: readonly string[]): JsonValue {
  if (typeof value === "string") return redact(value, secrets);
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((item) => redactValue(item, secrets));
  return redactObject(value, secrets);
}

/** The same for an object. */
export function redactObject(value: JsonObject, secrets: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      redact(key, secrets),
      isSecretName(key) ? masked(inner) : redactValue(inner, secrets),
    ]),
  );
}

/** All texts in what is named like a secret, however deep. */
function masked(value: JsonValue): JsonValue {
  if (typeof value === "string") return value === "" ? value : MASK;
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map(masked);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, masked(inner)]));
}
