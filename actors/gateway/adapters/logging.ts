/**
 * Where log records go: one line each, free of secrets.
 * @module
 */

import { configureSync, getAnsiColorFormatter, getTextFormatter } from "@logtape/logtape";

/** How to log. */
export interface LoggingOptions {
  /** Writes one line, its end included. */
  readonly write: (line: string) => void;
  readonly isVerbose: boolean;
  readonly hasColors: boolean;
  /** Values that must never appear, longest first. */
  readonly secrets: readonly string[];
}

/** Shorter values are too common to be taken out of every line. */
const SECRET_CHARS_MIN = 6;
/** What looks like a key, wherever it comes from. */
const KEY_PATTERNS = [
  /\b(sk|pk|rk|xox[abeprs]|ghp|gho|t)-[A-Za-z0-9_-]{12,}/g,
  /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi,
];

/** Sends all records of the gateway to `write`. */
export function configureLogging({ write, isVerbose, hasColors, secrets }: LoggingOptions): void {
  const format = hasColors
    ? getAnsiColorFormatter({ timestamp: "time" })
    : getTextFormatter({ timestamp: "rfc3339" });
  const lowestLevel = isVerbose ? "debug" : "info";
  configureSync({
    reset: true,
    sinks: { lines: (record) => write(redact(format(record), secrets)) },
    loggers: [
      { category: ["logtape", "meta"], sinks: ["lines"], lowestLevel: "error" },
      { category: ["troupe"], sinks: ["lines"], lowestLevel },
    ],
  });
}

/** The text with all secrets, and all that look like keys, blotted out. */
export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) {
    if (secret.length >= SECRET_CHARS_MIN) redacted = redacted.replaceAll(secret, "***");
  }
  for (const pattern of KEY_PATTERNS) redacted = redacted.replaceAll(pattern, "$1 ***");
  return redacted;
}
