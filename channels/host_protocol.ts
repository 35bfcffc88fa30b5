/**
 * What a channel and the gateway tell each other, across a Worker's port or within a process: plain
 * data.
 * @module
 */

import type { JsonValue } from "../actors/kernel/json.ts";
import type { ReplyTo } from "../actors/kernel/ref.ts";
import type {
  ChannelInbound,
  ChannelSession,
  ChannelSessionMessage,
  ConnectionState,
  Delivery,
  DeliveryFailure,
  DeliveryReceipt,
  HandInResult,
  InboundContents,
  Keeping,
  LookUp,
  SessionEnd,
  Transcription,
} from "./channel.ts";
import type { LoggedInWorker } from "./worker_logs.ts";

/** How a delivery ended, as plain data. */
export type DeliveryOutcome =
  | { readonly state: "sent"; readonly receipt: DeliveryReceipt }
  | {
    readonly state: "failed";
    readonly code: DeliveryFailure;
    readonly message: string;
    readonly retryAfterMs?: number;
  };

/** What a look-up told, as plain data. */
export type LookUpOutcome =
  | { readonly state: "looked"; readonly found: LookUp }
  | Extract<DeliveryOutcome, { readonly state: "failed" }>;

/** A message of the channel's waits for its turn, or waits no more; may get lost. */
export interface NoteWaiting {
  readonly type: "note_waiting";
  readonly platformId: string;
  readonly isWaiting: boolean;
}

/** What the gateway tells a channel. */
export type ToChannel =
  | {
    readonly type: "deliver";
    readonly delivery: Delivery;
    /** When the outbox asked, epoch milliseconds; since then it may have waited anywhere. */
    readonly askedAtMs: number;
    readonly replyTo: ReplyTo<DeliveryOutcome>;
  }
  | {
    readonly type: "look_up";
    readonly delivery: Delivery;
    readonly replyTo: ReplyTo<LookUpOutcome>;
  }
  | NoteWaiting
  | { readonly type: "stop"; readonly replyTo: ReplyTo<"stopped"> };

/** What a channel tells the gateway. */
export type FromChannel =
  | {
    readonly type: "hand_in";
    readonly inbound: ChannelInbound;
    readonly wantsStream: boolean;
    readonly replyTo: ReplyTo<HandInResult>;
  }
  | {
    readonly type: "complete_inbound";
    readonly platformId: string;
    readonly contents: InboundContents;
    readonly replyTo: ReplyTo<"completed">;
  }
  | { readonly type: "list_drafts"; readonly replyTo: ReplyTo<readonly ChannelInbound[]> }
  | {
    readonly type: "withdraw_inbound";
    readonly platformId: string;
    readonly replyTo: ReplyTo<"withdrawn">;
  }
  | {
    readonly type: "transcribe";
    readonly path: string;
    readonly replyTo: ReplyTo<Transcription>;
  }
  | {
    readonly type: "remember";
    readonly key: string;
    readonly channelState: JsonValue;
    readonly keeping: Keeping;
    readonly replyTo: ReplyTo<"remembered">;
  }
  | {
    readonly type: "remember_inbound";
    readonly platformId: string;
    readonly channelState: JsonValue;
    readonly replyTo: ReplyTo<"remembered">;
  }
  | {
    readonly type: "recall_inbound";
    readonly platformId: string;
    readonly replyTo: ReplyTo<JsonValue>;
  }
  | { readonly type: "list_sessions"; readonly replyTo: ReplyTo<readonly ChannelSession[]> }
  | {
    readonly type: "read_session";
    readonly key: string;
    readonly replyTo: ReplyTo<readonly ChannelSessionMessage[] | null>;
  }
  | {
    readonly type: "erase_session";
    readonly key: string;
    readonly replyTo: ReplyTo<SessionEnd>;
  }
  | { readonly type: "read_cursor"; readonly replyTo: ReplyTo<JsonValue> }
  | {
    readonly type: "keep_cursor";
    readonly cursor: JsonValue;
    readonly replyTo: ReplyTo<"remembered">;
  }
  | {
    readonly type: "connection_changed";
    readonly connection: ConnectionState;
    readonly isStreaming: boolean;
  }
  /** Something for the owners to know. */
  | { readonly type: "owners_informed"; readonly text: string }
  | LoggedInWorker
  /** The channel ended by itself; with an error, going on is senseless (bad credentials). */
  | { readonly type: "run_ended"; readonly error: string | null };
