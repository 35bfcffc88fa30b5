/**
 * What work belongs to, carried along through awaits and callbacks so that each log record can name
 * it. Messages do not carry it: whoever goes on with work by a message names it again.
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";

/** What log records get besides their own properties; the log's set-up reads it. */
export const traceStore: AsyncLocalStorage<Record<string, unknown>> = new AsyncLocalStorage();

/**
 * Runs work that belongs to a trace.
 *
 * @param trace the same for all work of one cause; undefined leaves things as they are
 */
export function withTrace<T>(trace: string | undefined, work: () => T): T {
  if (trace === undefined) return work();
  return traceStore.run({ ...traceStore.getStore(), trace }, work);
}

/** Runs what belongs to no trace, whoever happened to set it going. */
export function withoutTrace(work: () => void): void {
  if (traceStore.getStore() === undefined) work();
  // Not `exit`: in Deno what goes on after an await in there would have the trace again.
  else traceStore.run({}, work);
}

/** The trace that runs now; undefined outside of one. */
export function currentTrace(): string | undefined {
  const trace = traceStore.getStore()?.["trace"];
  return typeof trace === "string" ? trace : undefined;
}
