/**
 * By what the rows of a journal in memory are known, and how they are ordered and counted.
 * @module
 */

import type { PruneOptions } from "./journal.ts";
import type { Inbound, Outbound } from "./journal_rows.ts";
import type { UsageRow } from "./usage.ts";

/** By which a message is known. */
export function keyOf(channel: string, platformId: string): string {
  return JSON.stringify([channel, platformId]);
}

/** By which a row of usage is known. */
export function usageKey({ scope, name, provider, model }: UsageRow): string {
  return JSON.stringify([scope, name, provider, model]);
}

/** Parked ones wait for a person for as long as their ids are known. */
export function isOldInbound(
  { state, endedAtMs }: Inbound,
  { finishedBeforeMs, forgottenBeforeMs }: PruneOptions,
): boolean {
  if (endedAtMs === null || endedAtMs >= finishedBeforeMs) return false;
  return state !== "parked" || endedAtMs < forgottenBeforeMs;
}

/** In the order of their acceptance. */
export function bySeq(a: { readonly seq: number }, b: { readonly seq: number }): number {
  return a.seq - b.seq;
}

/** In the order of a text of theirs. */
export function by<T>(keyOf: (row: T) => string): (a: T, b: T) => number {
  return (a, b) => keyOf(a) < keyOf(b) ? -1 : 1;
}

/** In the order in which they were made. */
export function byId(a: Outbound, b: Outbound): number {
  return a.id - b.id;
}

/** In the order in which they ended. */
export function byEnd(
  a: { readonly endedAtMs: number | null },
  b: { readonly endedAtMs: number | null },
): number {
  return (a.endedAtMs ?? 0) - (b.endedAtMs ?? 0);
}

/** Each row as a count of one. */
export function statesOf(
  rows: readonly { readonly state: string }[],
): { readonly state: string; readonly rows: number }[] {
  return rows.map(({ state }) => ({ state, rows: 1 }));
}
