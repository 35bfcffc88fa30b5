/**
 * What the journal's rules ask of a storage: rows by key, a few ordered reads, and transactions.
 * Everything is synchronous; a storage knows no rules.
 * @module
 */

import type { JsonValue } from "../kernel/json.ts";
import type { HistoryLine, Inbound, JournalCounts, Outbound, TurnRecord } from "./journal.ts";
import type { InboundStatus } from "./rules.ts";

/** `synced`: outlives a power cut; `written`: outlives the process, and costs no sync. */
export type Durability = "synced" | "written";

/** Rows of one journal. All methods throw {@link JournalError} when the storage fails. */
export interface JournalStore {
  /** Keeps all that `work` writes, or nothing when it throws; then throws the same. */
  transaction(work: () => void, durability: Durability): void;

  /** Adds an inbound behind all others, those that are gone included, and gives its `seq`. */
  insertInbound(inbound: Omit<Inbound, "seq">): number;
  inboundSeq(channel: string, platformId: string): number | undefined;
  inboundStatus(seq: number): InboundStatus | undefined;
  /** What was last remembered for an inbound; null when nothing was, or it is not there. */
  inboundMemory(channel: string, platformId: string): JsonValue;
  updateInbound(status: InboundStatus): void;
  rememberInbound(seq: number, channelState: JsonValue): void;
  inbound(channel: string, platformId: string): Inbound | undefined;
  /** Gives an inbound its content and media, and takes its draft away. */
  completeInbound(seq: number, completed: Pick<Inbound, "content" | "media">): void;
  /** Drafts of a channel in state `accepted` with a seq above `afterSeq`, in order. */
  waitingDrafts(channel: string, afterSeq: number, limit: number): Inbound[];
  /** Inbounds of a session in state `accepted` with a seq above `afterSeq`, in order. */
  waitingInbounds(sessionKey: string, afterSeq: number, limit: number): Inbound[];
  /** Inbounds of a session that run in `turnId`, in order. */
  runningInbounds(sessionKey: string, turnId: string): Inbound[];
  /** Whether any inbound of a session runs in `turnId`. */
  hasRunning(sessionKey: string, turnId: string): boolean;

  turn(turnId: string): TurnRecord | undefined;
  turnOfSession(sessionKey: string): TurnRecord | undefined;
  /** Adds or replaces a turn. */
  putTurn(turn: TurnRecord): void;
  deleteTurn(turnId: string): void;

  /** Adds a line; false when the turn has that line already. */
  insertLine(line: HistoryLine): boolean;
  /** Lines of a session in the order in which they were added. */
  lines(sessionKey: string): HistoryLine[];
  deleteLine(turnId: string, line: number): void;

  /** Adds an outbound behind all others, those that are gone included, and gives its `id`. */
  insertOutbound(outbound: Omit<Outbound, "id">): number;
  outbound(key: string): Outbound | undefined;
  updateOutbound(outbound: Outbound): void;
  /** Outbounds of a channel in state `open` or `pending` with an id above `afterId`, in order. */
  unsentOutbounds(channel: string, afterId: number, limit: number): Outbound[];

  /**
   * Sessions with waiting or running inbounds, unfiled lines or an open turn, each with the seq
   * of its oldest such inbound (0: it has none).
   */
  unfinishedSessions(): Map<string, number>;
  counts(): JournalCounts;

  /** Ends the storage; later calls are not made. */
  close(): void;
}
