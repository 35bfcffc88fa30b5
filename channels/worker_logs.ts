/**
 * Log records of a Worker, carried to the main process: sinks, levels and redaction are there.
 * @module
 */

import { configureSync, getLogger, type LogLevel, type LogRecord } from "@logtape/logtape";
import type { ActorRef } from "../actors/kernel/ref.ts";
import { asJson, type JsonObject } from "../actors/kernel/json.ts";
import { traceStore } from "../actors/kernel/trace.ts";

/** A log record as plain data. */
export interface LoggedInWorker {
  readonly type: "logged";
  readonly category: readonly string[];
  readonly level: LogLevel;
  /** The sentence with its placeholders. */
  readonly template: string;
  readonly properties: JsonObject;
}

/** Sends every record of this Worker to the gateway; what finds no room is lost. */
export function forwardLogs(gateway: ActorRef<LoggedInWorker>): void {
  configureSync({
    reset: true,
    contextLocalStorage: traceStore,
    sinks: { gateway: (record) => void gateway.tell(plain(record)) },
    loggers: [
      { category: ["logtape", "meta"], sinks: ["gateway"], lowestLevel: "error" },
      { category: ["troupe"], sinks: ["gateway"], lowestLevel: "debug" },
    ],
  });
}

/** Logs a forwarded record in this process. */
export function logForwarded({ category, level, template, properties }: LoggedInWorker): void {
  getLogger([...category])[level](template, { ...properties });
}

function plain({ category, level, rawMessage, properties }: LogRecord): LoggedInWorker {
  const template = typeof rawMessage === "string" ? rawMessage : rawMessage.join("{}");
  return { type: "logged", category, level, template, properties: asJson(properties) };
}
