/**
 * What the journal's rules ask of a storage: rows by key, a few ordered reads, and transactions.
 * Everything but a sync is synchronous; a storage knows no rules.
 * @module
 */

import type { JsonValue } from "../kernel/json.ts";
import type { JournalCounts, OutboxWindow, PruneOptions } from "./journal.ts";
import type {
  Durability,
  HistoryLine,
  Inbound,
  KeptRecord,
  LineKey,
  Outbound,
  StepRecord,
  TurnRecord,
} from "./journal_rows.ts";
import type { InboundStatus } from "./rules.ts";
import type { UsageQuery, UsageRow, UsageScope } from "./usage.ts";

/** A session and the last of its inbounds that a page saw. */
export interface SessionAt {
  readonly sessionKey: string;
  readonly seq: number;
}

/** Rows of one journal. All methods throw {@link JournalError} when the storage fails. */
export interface JournalStore {
  /**
   * Keeps all that `work` writes, or nothing when it throws; then throws the same.
   *
   * @returns where a sync takes its time: it resolves when a power cut undoes nothing any more, and
   * rejects when the disk failed; such a storage keeps nothing from then on
   */
  transaction(work: () => void, durability: Durability): Promise<void> | undefined;

  /** Adds an inbound behind all others, those that are gone included, and gives its `seq`. */
  insertInbound(inbound: Omit<Inbound, "seq">): number;
  /** The seq under which a message was taken in, also when its row was pruned since. */
  inboundSeq(channel: string, platformId: string): number | undefined;
  inboundBySeq(seq: number): Inbound | undefined;
  inboundStatus(seq: number): InboundStatus | undefined;
  /** What was last remembered for an inbound; null when nothing was, or it is not there. */
  inboundMemory(channel: string, platformId: string): JsonValue;
  updateInbound(status: InboundStatus): void;
  /** Does nothing for a row that was pruned. */
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

  /** The open turn of a session. */
  turn(sessionKey: string): TurnRecord | undefined;
  /** Adds a turn, or replaces that of its session. */
  putTurn(turn: TurnRecord): void;
  deleteTurn(sessionKey: string): void;

  /** Adds a line; false when the turn has that line already. */
  insertLine(line: HistoryLine): boolean;
  /** Lines of a session in the order in which they were added. */
  lines(sessionKey: string): HistoryLine[];
  deleteLine(line: LineKey): void;

  /** Adds an outbound behind all others, those that are gone included, and gives its `id`. */
  insertOutbound(outbound: Omit<Outbound, "id">): number;
  outbound(key: string): Outbound | undefined;
  outboundById(id: number): Outbound | undefined;
  updateOutbound(outbound: Outbound): void;
  /** Outbounds that have not ended, in the order of their ids. */
  unsentOutbounds(window: OutboxWindow): Outbound[];

  note(key: string): JsonValue;
  /** Keys of the notes that begin with `prefix`, in any order. */
  noteKeys(prefix: `${string}:`): string[];
  /** Keeps a note; null forgets it. */
  putNote(key: string, value: JsonValue): void;

  /** Sums in the order of their names, providers and models. */
  usage(query: UsageQuery): UsageRow[];
  /** Adds to a sum, which begins with it. */
  addUsage(row: UsageRow): void;
  forgetUsage(scope: UsageScope, name: string): void;

  /** Adds a record behind all others. */
  insertRecord(record: StepRecord): void;
  /** Records of a session with a place above `afterPlace`, in order. */
  records(sessionKey: string, afterPlace: number, limit: number): KeptRecord[];
  forgetRecords(sessionKey: string): void;

  /** Keys of sessions with an open turn or unfiled lines, above `afterKey`, in order. */
  keptSessions(afterKey: string, limit: number): string[];
  /** Sessions of waiting and running inbounds with a seq above `afterSeq`, one for each inbound. */
  busySessions(afterSeq: number, limit: number): SessionAt[];

  /** Inbounds that failed or were parked, newest first. */
  stuckInbounds(limit: number): Inbound[];
  /** Outbounds that failed or whose fate is not known, newest first. */
  stuckOutbounds(limit: number): Outbound[];

  /** Forgets rows that ended; gives whether there may be more. */
  prune(options: PruneOptions): boolean;
  /** Gives some room back to the disk, outside of any transaction; whether there is more. */
  release(): boolean;
  counts(): JournalCounts;

  /** Ends the storage; later calls are not made. */
  close(): void;
}
