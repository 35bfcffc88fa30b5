/**
 * Where log records go: one line each, free of secrets.
 * @module
 */

import { configureSync, getAnsiColorFormatter, getTextFormatter } from "@logtape/logtape";
import { redact } from "../../config/redact.ts";

/** How to log. */
export interface LoggingOptions {
  /** Writes one line, its end included. */
  readonly write: (line: string) => void;
  readonly isVerbose: boolean;
  readonly hasColors: boolean;
  /** Values that must never appear, longest first. */
  readonly secrets: readonly string[];
}

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
