/**
 * Where log records go: one line each, free of secrets.
 * @module
 */

import {
  configureSync,
  getAnsiColorFormatter,
  getJsonLinesFormatter,
  getTextFormatter,
} from "@logtape/logtape";
import { redact } from "../../config/redact.ts";
import { traceStore } from "../../kernel/trace.ts";

/** How to log. */
export interface LoggingOptions {
  /** Writes one line, its end included. */
  readonly write: (line: string) => void;
  /** Writes one line of JSON, its end included, into the log's file. @default there is none */
  readonly keep?: ((line: string) => void) | undefined;
  readonly isVerbose: boolean;
  readonly hasColors: boolean;
  /** Values that must never appear, longest first, as they are at each moment. */
  readonly secrets: () => readonly string[];
}

/** Sends all records of the gateway to `write`, and to `keep`. */
export function configureLogging(
  { write, keep, isVerbose, hasColors, secrets }: LoggingOptions,
): void {
  const format = hasColors
    ? getAnsiColorFormatter({ timestamp: "time" })
    : getTextFormatter({ timestamp: "rfc3339" });
  const formatJson = getJsonLinesFormatter({ message: "rendered" });
  const lowestLevel = isVerbose ? "debug" : "info";
  const sinks = keep === undefined ? ["lines"] as const : ["lines", "file"] as const;
  configureSync({
    reset: true,
    contextLocalStorage: traceStore, // each record names the turn that it belongs to
    sinks: {
      lines: (record) => write(redact(format(record), secrets())),
      file: (record) => keep?.(redact(formatJson(record), secrets())),
    },
    loggers: [
      { category: ["logtape", "meta"], sinks: [...sinks], lowestLevel: "error" },
      { category: ["troupe"], sinks: [...sinks], lowestLevel },
    ],
  });
}
