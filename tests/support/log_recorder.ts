/**
 * What the process logs while a test runs.
 * @module
 */

import { configure, type LogRecord, reset } from "@logtape/logtape";
import { traceStore } from "../../actors/kernel/trace.ts";

/** Records all logs of the process until it is disposed of. */
export class LogRecorder implements AsyncDisposable {
  readonly records: LogRecord[] = [];

  static async start(): Promise<LogRecorder> {
    const recorder = new LogRecorder();
    await configure({
      reset: true,
      contextLocalStorage: traceStore,
      sinks: { memory: (record) => void recorder.records.push(record) },
      loggers: [
        { category: [], sinks: ["memory"], lowestLevel: "trace" },
        { category: ["logtape", "meta"], sinks: [], lowestLevel: "error" },
      ],
    });
    return recorder;
  }

  /** Rendered warnings that contain `text`. */
  warnings(text: string): readonly string[] {
    return this.records.filter(({ level }) => level === "warning")
      .map(({ message }) => message.join("")).filter((message) => message.includes(text));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await reset();
  }
}
