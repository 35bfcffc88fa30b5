/**
 * The journal: the durable record of what was accepted, what turns did, and what must go out.
 * It is the queue; mailboxes only hold windows of it. Whatever one call commits is durable when
 * its promise resolves, all of it or nothing.
 * @module
 */

import { GatewayError } from "../kernel/errors.ts";
import type { JsonValue } from "../kernel/json.ts";
import type {
  Accepted,
  Durability,
  HistoryLine,
  Inbound,
  InboundCompletion,
  InboundState,
  KeptRecord,
  LineKey,
  NewInbound,
  Outbound,
  OutboundState,
  Step,
  TurnRecord,
} from "./journal_rows.ts";
import type { UsageQuery, UsageRow } from "./usage.ts";

export type * from "./journal_rows.ts";
export type * from "./usage.ts";
export { SYSTEM_CHANNEL } from "./journal_rows.ts";
export * from "./system_inputs.ts";

/**
 * Where a look at the unfinished sessions goes on. kept: those with an open turn or unfiled lines,
 * by key; inbounds: those with waiting or running inbounds, by the order of acceptance.
 */
export type SessionsCursor =
  | { readonly part: "kept"; readonly afterKey: string }
  | { readonly part: "inbounds"; readonly afterSeq: number };

/** The beginning of a look at the unfinished sessions. */
export const FIRST_SESSIONS: SessionsCursor = { part: "kept", afterKey: "" };

/** Some unfinished sessions, oldest business first. */
export interface SessionsPage {
  /** A key may come again on a later page. */
  readonly sessionKeys: readonly string[];
  /** Null when there are no more. */
  readonly next: SessionsCursor | null;
}

/** Which rows a look at the outbox leaves out or asks for. */
export interface OutboxWindow {
  readonly channel: string;
  /** Rows with an id above it. */
  readonly afterId: number;
  readonly limit: number;
  /** Only rows of this chat. */
  readonly chatId?: string;
  /** No rows of these chats. */
  readonly withoutChats?: readonly string[];
}

/** What may be forgotten; times are epoch milliseconds. */
export interface PruneOptions {
  /**
   * Rows that came to their end before it lose their content; those that need a person stay. What
   * turns took in before it is forgotten.
   */
  readonly finishedBeforeMs: number;
  /** Platform ids accepted before it are forgotten: the same message would be taken in again. */
  readonly forgottenBeforeMs: number;
  /** Sums of usage that last grew before it are forgotten. @default 0 */
  readonly usageBeforeMs?: number;
  /** Rows that one call touches at most. */
  readonly rowsMax: number;
}

/** A row by its kind and number (`seq` or `id`). */
export interface RowRef {
  readonly kind: "inbound" | "outbound";
  readonly number: number;
}

/** A row that a person acted on, as it is now. */
export type ActedRow =
  | { readonly kind: "inbound"; readonly row: Inbound }
  | { readonly kind: "outbound"; readonly row: Outbound };

/** Rows that need a person: they ended without their purpose. Newest first. */
export interface StuckRows {
  /** `failed` and `parked`. */
  readonly inbounds: readonly Inbound[];
  /** `failed`, and `unknown` with nothing left to look up. */
  readonly outbounds: readonly Outbound[];
}

/** Writing fails just now. */
export interface JournalTrouble {
  readonly code: JournalFailure;
  readonly message: string;
  readonly sinceMs: number;
}

/** Writing failed for a while, and works again. */
export interface PastTrouble extends JournalTrouble {
  readonly untilMs: number;
}

/** How many rows are in which state. */
export interface JournalCounts {
  readonly inbounds: Readonly<Record<InboundState, number>>;
  readonly outbounds: Readonly<Record<OutboundState, number>>;
}

/** Why the journal cannot serve. */
export type JournalFailure =
  | "journal_full"
  | "journal_read_only"
  | "journal_locked"
  | "journal_damaged"
  | "journal_newer"
  | "journal_closed"
  /** The disk failed at a sync: only a journal that is opened anew knows what it has. */
  | "journal_unsynced"
  | "journal_failed";

/** The journal cannot read or write; nothing of the failed call was kept. */
export class JournalError extends GatewayError {
  override readonly name = "JournalError";
  readonly code: JournalFailure;
  readonly recovery = "retry";

  constructor(code: JournalFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The durable record. All methods throw {@link JournalError}. */
export interface Journal extends AsyncDisposable {
  /** Why nothing can be written just now, as far as the last try tells; null when all is well. */
  readonly trouble: JournalTrouble | null;
  /** The last trouble that is over, however short it was; null when there was none. */
  readonly pastTrouble: PastTrouble | null;
  /** Aborts when nothing can be written any more until it is opened anew; the failure is why. */
  readonly lost: AbortSignal;
  /** Takes a message in, once per (channel, platformId). */
  accept(inbound: NewInbound): Promise<Accepted>;
  /** Completes a draft that still waits; null when there is none. */
  complete(completion: InboundCompletion): Promise<Inbound | null>;
  /** Drafts of a channel that still wait, in order, after `afterSeq`. */
  drafts(channel: string, afterSeq: number, limit: number): Promise<readonly Inbound[]>;
  /** The inbound that a platform's message became, if it was taken in. */
  inbound(channel: string, platformId: string): Promise<Inbound | null>;
  /** Stops an inbound that still waits; false when it does not. */
  withdraw(seq: number): Promise<boolean>;
  /**
   * Commits a step and gives the outbound rows it made, in order.
   *
   * @param durability `written` where nothing outside happens before a later commit is synced.
   * @default "synced"
   */
  commit(step: Step, durability?: Durability): Promise<readonly Outbound[]>;
  /** Makes all that was written before outlive a power cut. */
  sync(): Promise<void>;
  /** Inbounds of a session that wait in state `accepted`, in order, after `afterSeq`. */
  waiting(sessionKey: string, afterSeq: number, limit: number): Promise<readonly Inbound[]>;
  /** The turn of a session that a crash interrupted, with its running inbounds, in order. */
  interrupted(
    sessionKey: string,
  ): Promise<{ readonly turn: TurnRecord; readonly inbounds: readonly Inbound[] } | null>;
  /**
   * Sessions with waiting or running inbounds, lines that are in no file, or an open turn. A page
   * looks at `limit` rows at most, so that it costs the same however many there are.
   */
  unfinishedSessions(after: SessionsCursor, limit: number): Promise<SessionsPage>;
  /** History lines of a session that may not stand in its file yet, in order. */
  unfiledLines(sessionKey: string): Promise<readonly HistoryLine[]>;
  /** Forgets lines that now stand in the file; a power cut may bring them back. */
  dropLines(lines: readonly LineKey[]): Promise<void>;
  /** Outbounds in state `open` or `pending`, or `unknown` and still to be looked up, in order. */
  outbox(window: OutboxWindow): Promise<readonly Outbound[]>;
  /** One outbound, if it is there. */
  outbound(key: string): Promise<Outbound | null>;
  /** What a channel remembers about an inbound (`inboundMemory` of a step); null without. */
  inboundMemory(channel: string, platformId: string): Promise<JsonValue>;
  /** A note of a step; null without. */
  note(key: string): Promise<JsonValue>;
  /** Keys of the notes that begin with `prefix`, which ends in ":"; in any order. */
  noteKeys(prefix: `${string}:`): Promise<readonly string[]>;
  /** Sums of what model calls used, in the order of their names. */
  usage(query: UsageQuery): Promise<readonly UsageRow[]>;
  /** What the turns of a session took in, in order, after `afterPlace`; old ones are forgotten. */
  records(sessionKey: string, afterPlace: number, limit: number): Promise<readonly KeptRecord[]>;
  /** Rows that need a person, `limit` of each kind at most. */
  stuck(limit: number): Promise<StuckRows>;
  /**
   * Gives a stuck row another chance: an inbound waits again, an outbound is pending again.
   *
   * @returns null when there is no such row or nothing to retry
   */
  retry(row: RowRef): Promise<ActedRow | null>;
  /**
   * Gives a row up that does not get on: a parked or waiting inbound is `stopped`, an outbound that
   * is not sent `failed`.
   *
   * @returns null when there is no such row or nothing to drop
   */
  drop(row: RowRef): Promise<ActedRow | null>;
  /** Forgets a little of what is old, and gives its room back. @returns whether there is more */
  prune(options: PruneOptions): Promise<boolean>;
  counts(): Promise<JournalCounts>;
}
