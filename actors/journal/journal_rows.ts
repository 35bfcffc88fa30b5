/**
 * What stands in the journal: messages in and out, turns, lines, and the steps that change them.
 * @module
 */

import type { JsonObject, JsonValue } from "../kernel/json.ts";
import type { UsageEntry } from "./usage.ts";

/** Where an inbound is on its way. The last four are ends. */
export type InboundState = "accepted" | "running" | "done" | "failed" | "stopped" | "parked";

/** Where an outbound is. `open`: a stream that grows; the last three are ends. */
export type OutboundState = "open" | "pending" | "sent" | "failed" | "unknown";

/**
 * Whether a call outlives only the process (`written`), or a power cut as well (`synced`). A sync
 * covers all that was written before it.
 */
export type Durability = "synced" | "written";

/** The channel of what comes from inside: due jobs, heartbeats, results of subagents. */
export const SYSTEM_CHANNEL = "system";

/** A message for the assistant, as its channel hands it in. */
export interface NewInbound {
  /** Where it comes from; {@link SYSTEM_CHANNEL} when from inside. */
  readonly channel: string;
  /**
   * The platform's id of the message: unique per channel, for ever. From inside: what makes it
   * happen once (`cron:<job>:<due ms>`).
   */
  readonly platformId: string;
  readonly sessionKey: string;
  /** Where replies go, in `replyChannel`. */
  readonly chatId: string;
  /**
   * The channel that replies go to; null when they go nowhere and are only stored.
   *
   * @default `channel`; null for {@link SYSTEM_CHANNEL}
   */
  readonly replyChannel?: string | null;
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
  readonly replyChannel: string | null;
  /** The turn that runs or ran it. */
  readonly turnId: string | null;
  /**
   * The line of that turn that records it: messages are in a turn in this order, in which they
   * joined it. Null while it waits, and where that is not known.
   */
  readonly turnLine: number | null;
  /** When it came to its end. */
  readonly endedAtMs: number | null;
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

/** By what a line of history is known. */
export type LineKey = Pick<HistoryLine, "sessionKey" | "turnId" | "line">;

/** A change of an inbound's state. */
export interface InboundChange {
  readonly seq: number;
  readonly state: InboundState;
  readonly turnId?: string;
  /** The line that records it. */
  readonly turnLine?: number;
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

/** The turn that a message for a chat comes of; undefined where it comes of none. */
export function turnOfKey(key: string): string | undefined {
  return /^([\da-f]{8}-[\da-f-]{27}):/.exec(key)?.[1];
}

/** An outbound in the journal. `id` is the order within its channel. */
export interface Outbound extends Omit<NewOutbound, "state"> {
  readonly id: number;
  readonly state: OutboundState;
  readonly createdAtMs: number;
  /** When it came to its end. */
  readonly endedAtMs: number | null;
  readonly attempts: number;
  readonly firstAttemptMs: number | null;
  readonly nextAttemptMs: number;
  /**
   * Since when it may have arrived although nobody knows: the time of the first attempt, or of the
   * commit that made one possible, whose outcome was not recorded. Null when all are known, and in
   * state `unknown` when nothing is left to look up.
   */
  readonly doubtSinceMs: number | null;
  /** An earlier attempt may have arrived and nobody can tell: what is sent again says so. */
  readonly mayRepeat: boolean;
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
  readonly doubtSinceMs?: number | null;
  readonly mayRepeat?: boolean;
  readonly channelState?: JsonValue;
  readonly receipt?: readonly string[];
  readonly error?: string | null;
}

/** A turn in the journal; it ends when its row goes. */
export interface TurnRecord {
  readonly turnId: string;
  readonly sessionKey: string;
  /** How often it was started since it last got further; more than 1 after a crash. */
  readonly attempts: number;
  /** How many history lines it has written. */
  readonly lines: number;
  /** The inbound that this attempt runs alone, because earlier ones broke. */
  readonly soloSeq: number | null;
}

/**
 * A change of a turn. begin: started (again), one attempt more; progress: goes on; advance: got
 * further than before, so that attempts count anew; rest: ended in good order before its time, so
 * that the attempt does not count; end: its row goes. `lines` is taken from the step itself.
 */
export interface TurnChange {
  readonly turnId: string;
  readonly sessionKey: string;
  readonly change: "begin" | "progress" | "advance" | "rest" | "end";
  /** Of a `begin`: the inbound that is run alone. @default none */
  readonly soloSeq?: number;
}

/** What a turn took in with a step: with it the turn can be run again without the world. */
export interface StepRecord {
  readonly sessionKey: string;
  /** "" for a text that many steps name: it takes the place of the one before. */
  readonly turnId: string;
  /** When the step was handed in, in epoch milliseconds. */
  readonly atMs: number;
  /** JSON of the session's own. */
  readonly text: string;
}

/** The same in the journal. `place` is its order in its session. */
export interface KeptRecord extends StepRecord {
  readonly place: number;
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
  /** Small facts that outlive the process, by key; null forgets one. */
  readonly notes?: readonly { readonly key: string; readonly value: JsonValue }[];
  /** What model calls used. A turn that begins counts anew. */
  readonly usage?: readonly UsageEntry[];
  /** The session that counts anew, before `usage` is added. */
  readonly usageReset?: string;
  /** What the step took in. */
  readonly records?: readonly StepRecord[];
  /** The session whose records are forgotten, before any are added. */
  readonly recordsReset?: string;
}
