/**
 * All that a journal in memory holds, as plain data: what a crash leaves behind.
 * @module
 */

import { copyJson, type JsonValue } from "../kernel/json.ts";
import type { HistoryLine, Inbound, KeptRecord, Outbound, TurnRecord } from "./journal_rows.ts";
import type { UsageRow } from "./usage.ts";

/** A message that was taken in, and of which only that is still known. */
export interface SeenKey {
  readonly channel: string;
  readonly platformId: string;
  readonly seq: number;
  readonly endedAtMs: number;
}

/** A small fact by its key. */
export interface Note {
  readonly key: string;
  readonly value: JsonValue;
}

/** All that a journal holds, as plain data. */
export interface JournalRows {
  /** The last `seq` that was given; never given again. */
  readonly lastSeq: number;
  /** The last outbound `id` that was given. */
  readonly lastId: number;
  readonly inbounds: readonly Inbound[];
  readonly turns: readonly TurnRecord[];
  readonly lines: readonly HistoryLine[];
  readonly outbounds: readonly Outbound[];
  readonly seen: readonly SeenKey[];
  readonly notes: readonly Note[];
  readonly usage: readonly UsageRow[];
  readonly records: readonly KeptRecord[];
}

/** A journal without rows. */
export const NO_ROWS: JournalRows = {
  lastSeq: 0,
  lastId: 0,
  inbounds: [],
  turns: [],
  lines: [],
  outbounds: [],
  seen: [],
  notes: [],
  usage: [],
  records: [],
};

/** The same inbound, which nobody else can change. */
export function copyInbound(row: Inbound): Inbound {
  const { media, context, channelState, draft } = row;
  return {
    ...row,
    media: [...media],
    context: copyJson(context),
    channelState: copyJson(channelState),
    draft: draft === null ? null : copyJson(draft),
  };
}

/** The same outbound, which nobody else can change. */
export function copyOutbound(row: Outbound): Outbound {
  const { media, context, channelState, settles, receipt } = row;
  return {
    ...row,
    media: [...media],
    context: copyJson(context),
    channelState: copyJson(channelState),
    settles: settles.map((settlement) => ({ ...settlement })),
    receipt: [...receipt],
  };
}
