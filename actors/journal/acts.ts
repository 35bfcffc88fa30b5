/**
 * What a person can do about rows that do not get on: give them another chance, or give them up.
 * @module
 */

import type { ActedRow, RowRef } from "./journal.ts";
import type { Outbound } from "./journal_rows.ts";
import { droppedOutbound, retriedOutbound } from "./outbound_rules.ts";
import { droppedInbound, type InboundStatus, retriedInbound } from "./rules.ts";
import type { JournalStore } from "./store.ts";

/** Gives a row another chance; null when it is not there or needs none. */
export function retryRow(store: JournalStore, ref: RowRef, nowMs: number): ActedRow | null {
  return ref.kind === "inbound"
    ? actOnInbound(store, ref.number, retriedInbound)
    : actOnOutbound(store, ref.number, (row) => retriedOutbound(row, nowMs));
}

/** Gives a row up; null when it is not there, or there is nothing to give up. */
export function dropRow(store: JournalStore, ref: RowRef, nowMs: number): ActedRow | null {
  return ref.kind === "inbound"
    ? actOnInbound(store, ref.number, (inbound) => droppedInbound(inbound, nowMs))
    : actOnOutbound(store, ref.number, (row) => droppedOutbound(row, nowMs));
}

function actOnInbound(
  store: JournalStore,
  seq: number,
  act: (inbound: InboundStatus) => InboundStatus | undefined,
): ActedRow | null {
  const inbound = store.inboundBySeq(seq);
  if (inbound === undefined) return null;
  const { sessionKey, state, turnId, turnLine, endedAtMs } = inbound;
  const next = act({ seq, sessionKey, state, turnId, turnLine, endedAtMs });
  if (next === undefined) return null;
  store.updateInbound(next);
  return { kind: "inbound", row: { ...inbound, ...next } };
}

function actOnOutbound(
  store: JournalStore,
  id: number,
  act: (row: Outbound) => Outbound | undefined,
): ActedRow | null {
  const row = store.outboundById(id);
  const next = row && act(row);
  if (next === undefined) return null;
  store.updateOutbound(next);
  return { kind: "outbound", row: next };
}
