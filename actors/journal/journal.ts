/**
 * The journal: the durable record of what was accepted, what turns did, and what must go out.
 * It is the queue; mailboxes only hold windows of it. Whatever one call commits is durable when
 * its promise resolves, all of it or nothing.
 * @module
 */

import { GatewayError } from "../kernel/errors.ts";
import type { JsonObject, JsonValue } from "../kernel/json.ts";

/** Where an inbound is on its way. The last four are ends. */
export type InboundState = "accepted" | "running" | "done" | "failed" | "stopped" | "parked";

/** Where an outbound is. `open`: a stream that grows; the last three are ends. */
export type OutboundState = "open" | "pending" | "sent" | "failed" | "unknown";

/** A message for the assistant, as its channel hands it in. */
export interface NewInbound {
  readonly channel: string;
  /** The platform's id of the message: unique per channel, for ever. */
  readonly platformId: string;
  readonly sessionKey: string;
  /** Where replies go. */
  readonly chatId: string;
  readonly senderId: string;
  readonly content: string;
  /** Absolute paths of downloaded attachments. */
  readonly media: readonly string[];
  /** What the channel needs to answer in the right place; opaque to all others. */
  readonly context: JsonObject;
  /** The channel can show an answer while it grows. */
  readonly wantsStream: boolean;
  /**
   * Makes it a draft: text and media are still to come, and this is what its channel finds them
   * by, after a restart too. Nobody works on a draft.
   */
  readonly draft?: JsonObject | null;
}

/** What completes a draft. */
export interface InboundCompletion extends Pick<NewInbound, "content" | "media"> {
  readonly channel: string;
  readonly platformId: string;
}

/** An inbound in the journal. `seq` is the order of acceptance, over all sessions. */
export interface Inbound extends NewInbound {
  readonly seq: number;
  readonly acceptedAtMs: number;
  readonly state: InboundState;
  /** The turn that runs or ran it. */
  readonly turnId: string | null;
  /** What the channel wants to remember about it (a reaction's id); opaque. */
  readonly channelState: JsonValue;
  /** Null once it is complete. */
  readonly draft: JsonObject | null;
}

/** What became of a hand-in. A duplicate is as good as accepted: acknowledge it. */
export type Accepted =
  | { readonly state: "accepted"; readonly inbound: Inbound }
  | { readonly state: "duplicate"; readonly seq: number };

/** One line of a session's history: `text` is the JSON of one message, without a line end. */
export interface HistoryLine {
  readonly sessionKey: string;
  readonly turnId: string;
  /** Counts from 0 in its turn, over all attempts. */
  readonly line: number;
  /** The inbound it records, if it records one. */
  readonly inboundSeq: number | null;
  readonly text: string;
}

/** A change of an inbound's state. */
export interface InboundChange {
  readonly seq: number;
  readonly state: InboundState;
  readonly turnId?: string;
}

/** Which inbounds an outbound settles at its platform (reactions), and how they ended. */
export interface Settlement {
  readonly platformId: string;
  readonly outcome: "done" | "failed" | "stopped";
}

/** A message for a chat, as it goes into the journal. */
export interface NewOutbound {
  /** Unique; `<turn>:<n>` for answers, `<turn>:<line>:<call>` for the message tool. */
  readonly key: string;
  readonly channel: string;
  readonly chatId: string;
  readonly sessionKey: string;
  readonly state: "open" | "pending";
  /** Blank content without media sends nothing, but still settles. */
  readonly content: string;
  /** Text shown before the answer while the turn worked; channels without streaming leave it out. */
  readonly preamble: string;
  readonly media: readonly string[];
  /** The context of the inbound that is answered; {} without one. */
  readonly context: JsonObject;
  /** Plain text, not Markdown. */
  readonly isPlain: boolean;
  readonly settles: readonly Settlement[];
}

/** An outbound in the journal. `id` is the order within its channel. */
export interface Outbound extends Omit<NewOutbound, "state"> {
  readonly id: number;
  readonly state: OutboundState;
  readonly createdAtMs: number;
  readonly attempts: number;
  readonly firstAttemptMs: number | null;
  readonly nextAttemptMs: number;
  /** What the channel must know to go on after a crash (card id, sequence bound, parts); opaque. */
  readonly channelState: JsonValue;
  /** Platform message ids, once sent. */
  readonly receipt: readonly string[];
  readonly error: string | null;
}

/** A change of an outbound. */
export interface OutboundChange {
  readonly key: string;
  readonly state?: OutboundState;
  readonly content?: string;
  readonly preamble?: string;
  readonly settles?: readonly Settlement[];
  readonly attempts?: number;
  readonly firstAttemptMs?: number;
  readonly nextAttemptMs?: number;
  readonly channelState?: JsonValue;
  readonly receipt?: readonly string[];
  readonly error?: string | null;
}

/** A turn in the journal; it ends when its row goes. */
export interface TurnRecord {
  readonly turnId: string;
  readonly sessionKey: string;
  /** How often it was started; more than 1 after a crash. */
  readonly attempts: number;
  /** How many history lines it has written. */
  readonly lines: number;
}

/** A change of a turn: begun (again), or ended. `lines` is taken from the step itself. */
export interface TurnChange {
  readonly turnId: string;
  readonly sessionKey: string;
  readonly change: "begin" | "progress" | "end";
}

/** Everything that happens together, or not at all. */
export interface Step {
  readonly turn?: TurnChange;
  readonly lines?: readonly HistoryLine[];
  readonly inbounds?: readonly InboundChange[];
  readonly outbounds?: readonly NewOutbound[];
  readonly outboundChanges?: readonly OutboundChange[];
  /** What a channel remembers about an inbound. */
  readonly inboundMemory?: readonly {
    readonly channel: string;
    readonly platformId: string;
    readonly channelState: JsonValue;
  }[];
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
  /** Commits a step and gives the outbound rows it made, in order. */
  commit(step: Step): Promise<readonly Outbound[]>;
  /** Inbounds of a session that wait in state `accepted`, in order, after `afterSeq`. */
  waiting(sessionKey: string, afterSeq: number, limit: number): Promise<readonly Inbound[]>;
  /** The turn of a session that a crash interrupted, with its running inbounds, in order. */
  interrupted(
    sessionKey: string,
  ): Promise<{ readonly turn: TurnRecord; readonly inbounds: readonly Inbound[] } | null>;
  /** Keys of sessions with waiting or running inbounds or lines that are in no file, oldest first. */
  unfinishedSessions(): Promise<readonly string[]>;
  /** History lines of a session that may not stand in its file yet, in order. */
  unfiledLines(sessionKey: string): Promise<readonly HistoryLine[]>;
  /** Forgets lines that now stand in the file; a power cut may bring them back. */
  dropLines(lines: readonly Pick<HistoryLine, "turnId" | "line">[]): Promise<void>;
  /** Outbounds of a channel in state `open` or `pending` with an id above `afterId`, in order. */
  outbox(channel: string, afterId: number, limit: number): Promise<readonly Outbound[]>;
  /** One outbound, if it is there. */
  outbound(key: string): Promise<Outbound | null>;
  /** What a channel remembers about an inbound (`inboundMemory` of a step); null without. */
  inboundMemory(channel: string, platformId: string): Promise<JsonValue>;
  counts(): Promise<JournalCounts>;
}
