/**
 * What an outbox is made of, understands and tells.
 * @module
 */

import type { Delivery } from "../../channels/channel.ts";
import type { DeliveryOutcome, LookUpOutcome } from "../../channels/host_protocol.ts";
import type { Journal, Outbound, OutboundChange } from "../journal/journal.ts";
import type { Outcome } from "../kernel/actor.ts";
import type { JsonValue } from "../kernel/json.ts";
import type { ActorRef, ReplyTo } from "../kernel/ref.ts";
import type { OutboxMessage } from "../session/ports.ts";
import type { HookListener } from "../tools/hooks/hook_event.ts";
import type { Attempt, RetryRules } from "./delivery_retry.ts";
import type { AlarmMessage } from "./owner_notices.ts";

/** What of a turn's progress a channel shows. */
export interface ProgressRules {
  readonly sendProgress: boolean;
  readonly sendToolHints: boolean;
}

/** What an outbox is made of. */
export interface OutboxOptions {
  readonly channel: string;
  readonly journal: Journal;
  readonly progress: ProgressRules;
  /** No words on the way are sent. @default they are, where answers do not grow */
  readonly sparesMessages?: boolean | undefined;
  readonly retry: RetryRules;
  /** Sends through the channel. */
  readonly deliver: (delivery: Delivery, signal: AbortSignal) => Promise<DeliveryOutcome>;
  /** Asks the channel whether a delivery in doubt arrived. */
  readonly lookUp: (delivery: Delivery, signal: AbortSignal) => Promise<LookUpOutcome>;
  /** Tells the channel that a message of its waits, or no more. @default it hears nothing of it */
  readonly noteWaiting?: ((note: WaitingNote) => void) | undefined;
  /** Told of what left, or could not. @default nobody */
  readonly hooks?: HookListener | undefined;
  /** Told of deliveries that fail for long or for good. @default nobody */
  readonly alarms?: ActorRef<AlarmMessage> | undefined;
}

/** What people may see of a message before it is answered. */
export type WaitingNote = Pick<
  Extract<OutboxMessage, { readonly type: "inbound_waits" }>,
  "platformId" | "isWaiting"
>;

/** How much waits in an outbox. */
export interface OutboxReport {
  readonly channel: string;
  /** Rows in memory; more may wait in the journal. */
  readonly waiting: number;
  readonly inFlight: number;
}

/** What others than sessions tell an outbox. */
export type OutboxControl =
  | { readonly type: "channel_ready"; readonly isStreaming: boolean }
  | { readonly type: "channel_lost" }
  | { readonly type: "state_remembered"; readonly key: string; readonly channelState: JsonValue }
  /** Something other than this outbox changed a row in the journal. */
  | { readonly type: "row_changed"; readonly key: string }
  | { readonly type: "report_outbox"; readonly replyTo: ReplyTo<OutboxReport> }
  /** Answer once nothing more can be sent: all is out, or the channel is gone. */
  | { readonly type: "drain_outbox"; readonly replyTo: ReplyTo<"drained"> };

/** An attempt to send a row. */
export interface RowAttempt extends Attempt {
  readonly row: Outbound;
}

/** What an outbox tells itself. */
export type OutboxNews =
  | { readonly type: "grown"; readonly row: Outbound; readonly outcome: Outcome<DeliveryOutcome> }
  | {
    readonly type: "attempt_ended";
    readonly attempt: RowAttempt;
    readonly outcome: Outcome<DeliveryOutcome>;
  }
  | {
    readonly type: "looked_up";
    readonly row: Outbound;
    readonly outcome: Outcome<LookUpOutcome>;
  }
  | {
    readonly type: "progress_sent";
    readonly chatId: string;
    readonly outcome: Outcome<DeliveryOutcome>;
  }
  | { readonly type: "record"; readonly row: Outbound; readonly change: OutboundChange }
  | {
    readonly type: "recorded";
    readonly row: Outbound;
    readonly change: OutboundChange;
    readonly outcome: Outcome<unknown>;
  }
  | { readonly type: "doubt_cleared"; readonly key: string; readonly outcome: Outcome<unknown> }
  | {
    readonly type: "reread";
    readonly key: string;
    readonly outcome: Outcome<Outbound | null>;
  }
  | { readonly type: "refilled"; readonly outcome: Outcome<readonly Outbound[]> }
  | { readonly type: "read_on" }
  /** Rows were committed that could not be told one by one. */
  | { readonly type: "refill" }
  | { readonly type: "lane_due"; readonly chatId: string };

/** All that an outbox understands. */
export type OutboxActorMessage = OutboxMessage | OutboxControl | OutboxNews;

/** At the bound: newer growth stands for older, a committed row for a look into the journal. */
export function mergeNews(
  waiting: OutboxActorMessage,
  incoming: OutboxActorMessage,
): OutboxActorMessage | undefined {
  if (incoming.type === "stream_grew") {
    return waiting.type === "stream_grew" && waiting.key === incoming.key ? incoming : undefined;
  }
  if (incoming.type !== "row_committed") return undefined;
  const isNews = waiting.type === "row_committed" || waiting.type === "refill";
  return isNews ? { type: "refill" } : undefined;
}
