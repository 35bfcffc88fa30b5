/**
 * The outbox of one channel: keeps order per chat, shows answers while they grow, sends what was
 * committed, tries again, and records the outcome. Its memory is a window of the journal.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Delivery, DeliveryReceipt, Settled } from "../../channels/channel.ts";
import type { DeliveryOutcome } from "../../channels/channel_host.ts";
import type { Journal, Outbound, OutboundChange } from "../journal/journal.ts";
import type { Actor, ActorContext, ActorDefinition, Outcome } from "../kernel/actor.ts";
import { invariant, unreachable } from "../kernel/invariant.ts";
import type { JsonValue } from "../kernel/json.ts";
import type { ReplyTo } from "../kernel/ref.ts";
import type { OutboxMessage } from "../session/ports.ts";
import { ChatLane, type Growth, type Progress } from "./chat_lane.ts";
import { afterFailure, type RetryRules } from "./delivery_retry.ts";

const logger = getLogger(["troupe", "gateway", "outbox"]);

/** Rows held in memory; the rest waits in the journal. */
const WINDOW_MAX = 1_000;
/** Wait before a growing answer is shown again after its platform refused an update. */
const GROWTH_RETRY_MS = 1_000;
/** Wait before the journal is asked again after it failed. */
const JOURNAL_RETRY_MS = 1_000;

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
  readonly retry: RetryRules;
  /** Sends through the channel; never rejects. */
  readonly deliver: (delivery: Delivery, signal: AbortSignal) => Promise<DeliveryOutcome>;
}

/** How much waits in an outbox. */
export interface OutboxReport {
  readonly channel: string;
  readonly waiting: number;
  readonly inFlight: number;
}

/** What the channel's actor tells its outbox. */
export type OutboxControl =
  | { readonly type: "channel_ready"; readonly isStreaming: boolean }
  | { readonly type: "channel_lost" }
  | { readonly type: "state_remembered"; readonly key: string; readonly channelState: JsonValue }
  | { readonly type: "report_outbox"; readonly replyTo: ReplyTo<OutboxReport> }
  /** Answer once nothing more can be sent: all is out, or the channel is gone. */
  | { readonly type: "drain_outbox"; readonly replyTo: ReplyTo<"drained"> };

type Internal =
  | { readonly type: "grown"; readonly row: Outbound; readonly outcome: Outcome<DeliveryOutcome> }
  | { readonly type: "sent"; readonly row: Outbound; readonly outcome: Outcome<DeliveryOutcome> }
  | { readonly type: "progress_sent"; readonly chatId: string }
  | { readonly type: "recorded"; readonly row: Outbound; readonly outcome: Outcome<unknown> }
  | { readonly type: "record"; readonly row: Outbound; readonly change: OutboundChange }
  | { readonly type: "refilled"; readonly outcome: Outcome<readonly Outbound[]> }
  | { readonly type: "refill" }
  | { readonly type: "lane_due"; readonly chatId: string };

/** All that an outbox understands. */
export type OutboxActorMessage = OutboxMessage | OutboxControl | Internal;

/** How the channel is: told when it changes, and so kept over a restart of the outbox. */
interface Connection {
  isReady: boolean;
  isStreaming: boolean;
}

/** Defines the outbox of a channel. */
export function outboxActor(options: OutboxOptions): ActorDefinition<OutboxActorMessage> {
  const connection: Connection = { isReady: false, isStreaming: false };
  return {
    name: `outbox_${options.channel}`,
    mailboxMax: 10_000,
    overflow: { type: "merge", merge: mergeNews },
    create: (context) => new Outbox(context, options, connection),
  };
}

/** At the bound: newer growth stands for older, a committed row for a look into the journal. */
function mergeNews(
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

class Outbox implements Actor<OutboxActorMessage> {
  readonly #context: ActorContext<OutboxActorMessage>;
  readonly #options: OutboxOptions;
  readonly #lanes = new Map<string, ChatLane>();
  /** Keys in memory, with the chat whose lane holds them. */
  readonly #chatOf = new Map<string, string>();
  /** What the channel remembered since the row was read. */
  readonly #remembered = new Map<string, JsonValue>();
  readonly #connection: Connection;
  #highestId = 0;
  /** Rows may wait in the journal that are not in memory. */
  #mayMiss = true;
  #isRefilling = false;
  #inFlight = 0;
  #onDrained: ReplyTo<"drained"> | undefined;

  constructor(
    context: ActorContext<OutboxActorMessage>,
    options: OutboxOptions,
    connection: Connection,
  ) {
    this.#context = context;
    this.#options = options;
    this.#connection = connection;
    this.#refill();
  }

  receive(message: OutboxActorMessage): void {
    switch (message.type) {
      case "row_committed":
        return this.#take(message.row);
      case "stream_grew":
        return this.#grow(message);
      case "progress":
        return this.#progress(message);
      case "channel_ready":
        return this.#channelReady(message.isStreaming);
      case "channel_lost":
        this.#connection.isReady = false;
        return this.#tellDrained();
      case "state_remembered":
        return this.#remember(message.key, message.channelState);
      case "report_outbox":
        return message.replyTo.reply({
          channel: this.#options.channel,
          waiting: this.#chatOf.size,
          inFlight: this.#inFlight,
        });
      case "drain_outbox":
        this.#onDrained = message.replyTo;
        return this.#tellDrained();
      default:
        return this.#receiveInternal(message);
    }
  }

  #receiveInternal(message: Internal): void {
    switch (message.type) {
      case "grown":
        return this.#grown(message.row, message.outcome);
      case "sent":
        return this.#sent(message.row, message.outcome);
      case "progress_sent":
        return this.#release(message.chatId);
      case "record":
        return this.#record(message.row, message.change);
      case "recorded":
        return this.#recorded(message.row, message.outcome);
      case "refill":
        return this.#refill();
      case "refilled":
        return this.#refilled(message.outcome);
      case "lane_due":
        return this.#serve(message.chatId);
      default:
        return unreachable(message);
    }
  }

  #remember(key: string, channelState: JsonValue): void {
    if (this.#chatOf.has(key)) this.#remembered.set(key, channelState);
  }

  #take(row: Outbound): void {
    if (this.#chatOf.has(row.key) || row.id <= this.#highestId) {
      return this.#lanes.get(row.chatId)?.update(row) ? this.#serve(row.chatId) : undefined;
    }
    // In order of ids only: what cannot be entered now is read from the journal later.
    if (this.#chatOf.size >= WINDOW_MAX || this.#mayMiss || this.#isRefilling) {
      return this.#refill();
    }
    this.#enter(row);
    this.#serve(row.chatId);
  }

  #enter(row: Outbound): void {
    this.#highestId = Math.max(this.#highestId, row.id);
    this.#chatOf.set(row.key, row.chatId);
    this.#lane(row.chatId).add(row);
  }

  #grow(growth: Growth): void {
    const chatId = this.#chatOf.get(growth.key);
    if (chatId === undefined) return;
    this.#lane(chatId).grow(growth);
    this.#serve(chatId);
  }

  #progress(progress: Progress): void {
    const { sendProgress, sendToolHints } = this.#options.progress;
    if (progress.isToolHint ? !sendToolHints : !sendProgress) return;
    if (this.#connection.isStreaming || !this.#connection.isReady || progress.text.trim() === "") {
      return;
    }
    this.#lane(progress.chatId).addProgress(progress);
    this.#serve(progress.chatId);
  }

  #channelReady(isStreaming: boolean): void {
    this.#connection.isReady = true;
    this.#connection.isStreaming = isStreaming;
    for (const chatId of [...this.#lanes.keys()]) this.#serve(chatId);
  }

  /** Starts the next thing of a chat, unless one is under way or nothing is due. */
  #serve(chatId: string): void {
    const lane = this.#lanes.get(chatId);
    if (lane === undefined || lane.isBusy || !this.#connection.isReady) return;
    const next = lane.next(this.#context.clock.now(), this.#connection.isStreaming);
    switch (next.type) {
      case "nothing":
        if (lane.isEmpty) this.#lanes.delete(chatId);
        return;
      case "wait":
        // Always anew: what the lane waits for may have changed since, and the timer have fired.
        lane.wake?.cancel();
        lane.wake = this.#context.after(next.delayMs, { type: "lane_due", chatId });
        return;
      case "progress":
        this.#occupy(lane);
        return this.#deliverProgress(next.progress);
      case "growing":
        this.#occupy(lane);
        return this.#deliverGrowth(next.row, next.growth);
      case "final":
        this.#occupy(lane);
        return this.#deliverFinal(next.row);
      default:
        return unreachable(next);
    }
  }

  #occupy(lane: ChatLane): void {
    lane.isBusy = true;
    lane.wake?.cancel();
    lane.wake = undefined;
    this.#inFlight++;
  }

  #release(chatId: string): void {
    const lane = this.#lanes.get(chatId);
    invariant(lane !== undefined && lane.isBusy, "a released lane was busy");
    lane.isBusy = false;
    this.#inFlight--;
    this.#serve(chatId);
    this.#tellDrained();
  }

  #tellDrained(): void {
    const isDone = !this.#connection.isReady ||
      [...this.#lanes.values()].every((lane) => !lane.isBusy && !lane.hasPending);
    if (isDone) this.#onDrained?.reply("drained");
  }

  #deliverProgress({ chatId, context, text }: Progress): void {
    const delivery: Delivery = {
      key: `progress:${this.#context.newId()}`,
      chatId,
      phase: "final",
      text,
      isPlain: false,
      activity: "",
      media: [],
      context,
      channelState: null,
      settles: [],
    };
    this.#context.pipe(
      (signal) => this.#options.deliver(delivery, signal),
      () => ({ type: "progress_sent", chatId }),
    );
  }

  #deliverGrowth(row: Outbound, growth: Growth): void {
    const { sendProgress, sendToolHints } = this.#options.progress;
    const delivery: Delivery = {
      ...this.#base(row),
      phase: "growing",
      text: joinText(sendProgress ? growth.preamble : "", growth.text),
      activity: sendToolHints ? growth.activity : "",
      settles: [],
    };
    this.#context.pipe(
      (signal) => this.#options.deliver(delivery, signal),
      (outcome) => ({ type: "grown", row, outcome }),
    );
  }

  #deliverFinal(row: Outbound): void {
    const { journal, progress } = this.#options;
    const preamble = this.#connection.isStreaming && progress.sendProgress ? row.preamble : "";
    const firstAttemptMs = row.firstAttemptMs ?? this.#context.clock.now();
    this.#context.pipe(
      async (signal) => {
        // Known before the platform is: after a crash it tells how long the key still protects.
        if (row.firstAttemptMs === null) {
          await journal.commit({ outboundChanges: [{ key: row.key, firstAttemptMs }] });
        }
        const delivery: Delivery = {
          ...this.#base(row),
          phase: "final",
          text: joinText(preamble, row.content),
          activity: "",
          settles: await this.#settles(row),
        };
        return await this.#options.deliver(delivery, signal);
      },
      (outcome) => ({ type: "sent", row: { ...row, firstAttemptMs }, outcome }),
    );
  }

  #base(row: Outbound): Omit<Delivery, "phase" | "text" | "activity" | "settles"> {
    return {
      key: row.key,
      chatId: row.chatId,
      isPlain: row.isPlain,
      media: row.media,
      context: row.context,
      channelState: this.#remembered.get(row.key) ?? row.channelState,
    };
  }

  #settles(row: Outbound): Promise<Settled[]> {
    const { journal, channel } = this.#options;
    return Promise.all(row.settles.map(async ({ platformId, outcome }) => ({
      platformId,
      outcome,
      channelState: await journal.inboundMemory(channel, platformId),
    })));
  }

  #grown(row: Outbound, outcome: Outcome<DeliveryOutcome>): void {
    const failure = failureOf(outcome);
    if (failure !== undefined) {
      logger.debug("Cannot show {key} growing: {reason}", {
        key: row.key,
        reason: failure.message,
      });
      const delayMs = failure.retryAfterMs ?? GROWTH_RETRY_MS;
      this.#lanes.get(row.chatId)?.holdGrowth(this.#context.clock.now() + delayMs);
    }
    this.#release(row.chatId);
  }

  #sent(row: Outbound, outcome: Outcome<DeliveryOutcome>): void {
    const nowMs = this.#context.clock.now();
    const failure = failureOf(outcome);
    if (failure === undefined) {
      const receipt = receiptOf(outcome)?.messageIds ?? [];
      const change: OutboundChange = { key: row.key, state: "sent", receipt, error: null };
      return this.#record(row, { ...change, attempts: row.attempts + 1 });
    }
    const change = afterFailure(row, failure, nowMs, this.#options.retry, this.#context.random);
    const details = { key: row.key, attempt: row.attempts + 1, reason: failure.message };
    if (change.state === "pending") {
      logger.warn("Cannot send {key} (attempt {attempt}), will try again: {reason}", details);
    } else {
      logger.error("Cannot send {key} (attempt {attempt}), given up: {reason}", details);
    }
    this.#record(row, change);
  }

  #record(row: Outbound, change: OutboundChange): void {
    this.#context.pipe(
      async () => {
        await this.#options.journal.commit({ outboundChanges: [change] });
        return change;
      },
      (outcome) => ({
        type: "recorded",
        row: { ...row, ...change, id: row.id, key: row.key },
        outcome,
      }),
    );
  }

  /** An outcome that could not be recorded is recorded again, before the chat goes on. */
  #recorded(row: Outbound, outcome: Outcome<unknown>): void {
    if (outcome.state === "failed") {
      logger.error("Cannot record {key}: {reason}", {
        key: row.key,
        reason: outcome.error.message,
      });
      const { key, state, attempts, nextAttemptMs, receipt, error } = row;
      const change = { key, state, attempts, nextAttemptMs, receipt, error };
      this.#context.after(JOURNAL_RETRY_MS, { type: "record", row, change });
      return;
    }
    if (row.state === "pending") this.#lanes.get(row.chatId)?.update(row);
    else this.#leave(row);
    this.#release(row.chatId);
  }

  #leave(row: Outbound): void {
    this.#lanes.get(row.chatId)?.remove(row.key);
    this.#chatOf.delete(row.key);
    this.#remembered.delete(row.key);
    if (this.#mayMiss && this.#chatOf.size < WINDOW_MAX / 2) this.#refill();
  }

  #refill(): void {
    if (this.#isRefilling) {
      this.#mayMiss = true;
      return;
    }
    this.#isRefilling = true;
    this.#mayMiss = false;
    const { journal, channel } = this.#options;
    const room = Math.max(0, WINDOW_MAX - this.#chatOf.size);
    this.#context.pipe(
      () => journal.outbox(channel, this.#highestId, room),
      (outcome) => ({ type: "refilled", outcome }),
    );
  }

  #refilled(outcome: Outcome<readonly Outbound[]>): void {
    this.#isRefilling = false;
    if (outcome.state === "failed") {
      this.#mayMiss = true;
      this.#context.after(JOURNAL_RETRY_MS, { type: "refill" });
      return;
    }
    const chats = new Set<string>();
    for (const row of outcome.value) {
      if (this.#chatOf.has(row.key)) continue;
      this.#enter(row);
      chats.add(row.chatId);
    }
    if (this.#chatOf.size >= WINDOW_MAX) this.#mayMiss = true;
    else if (this.#mayMiss) this.#refill();
    for (const chatId of chats) this.#serve(chatId);
  }

  #lane(chatId: string): ChatLane {
    const lane = this.#lanes.get(chatId) ?? new ChatLane();
    this.#lanes.set(chatId, lane);
    return lane;
  }
}

function joinText(preamble: string, text: string): string {
  return preamble === "" || text === "" ? preamble + text : `${preamble}\n\n${text}`;
}

function receiptOf(outcome: Outcome<DeliveryOutcome>): DeliveryReceipt | undefined {
  return outcome.state === "ok" && outcome.value.state === "sent"
    ? outcome.value.receipt
    : undefined;
}

function failureOf(
  outcome: Outcome<DeliveryOutcome>,
): Extract<DeliveryOutcome, { state: "failed" }> | undefined {
  if (outcome.state === "failed") {
    return { state: "failed", code: "delivery_transient", message: outcome.error.message };
  }
  return outcome.value.state === "failed" ? outcome.value : undefined;
}
