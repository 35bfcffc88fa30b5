/**
 * The outbox of one channel: keeps order per chat, shows answers while they grow, sends what was
 * committed, tries again, looks up what is in doubt, and records the outcome. Its memory is a
 * window of the journal.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { DeliveryOutcome, LookUpOutcome } from "../../channels/host_protocol.ts";
import { JournalError, type Outbound, type OutboundChange } from "../journal/journal.ts";
import type { Actor, ActorContext, ActorDefinition, Outcome } from "../kernel/actor.ts";
import { invariant, unreachable } from "../kernel/invariant.ts";
import type { ReplyTo } from "../kernel/ref.ts";
import type { ChatLane, Growth, Progress } from "./chat_lane.ts";
import { type Carried, Courier } from "./courier.ts";
import { DeliveryAlarms } from "./delivery_alarms.ts";
import { afterAttempt, afterLookUp, failureOf, isWorn } from "./delivery_retry.ts";
import {
  mergeNews,
  type OutboxActorMessage,
  type OutboxNews,
  type OutboxOptions,
  type RowAttempt,
  type WaitingNote,
} from "./outbox_protocol.ts";
import { messageOut } from "./message_news.ts";
import { OutboxRows } from "./outbox_rows.ts";

export type {
  OutboxActorMessage,
  OutboxControl,
  OutboxOptions,
  OutboxReport,
  ProgressRules,
} from "./outbox_protocol.ts";

const logger = getLogger(["troupe", "gateway", "outbox"]);

/** Wait before a growing answer is shown again after its platform refused an update. */
const GROWTH_RETRY_MS = 1_000;
/** Wait before the journal is asked again after it failed. */
const JOURNAL_RETRY_MS = 1_000;

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

class Outbox implements Actor<OutboxActorMessage> {
  readonly #context: ActorContext<OutboxActorMessage>;
  readonly #options: OutboxOptions;
  readonly #rows: OutboxRows;
  readonly #courier: Courier;
  readonly #alarms: DeliveryAlarms;
  readonly #connection: Connection;
  #inFlight = 0;
  #onDrained: ReplyTo<"drained"> | undefined;

  constructor(
    context: ActorContext<OutboxActorMessage>,
    options: OutboxOptions,
    connection: Connection,
  ) {
    this.#context = context;
    this.#connection = connection;
    this.#options = options;
    this.#rows = new OutboxRows(context, options);
    this.#courier = new Courier(options, context.newId);
    this.#alarms = new DeliveryAlarms(options);
  }

  receive(message: OutboxActorMessage): void {
    switch (message.type) {
      case "row_committed":
        return this.#take(message.row);
      case "stream_grew":
        return this.#grow(message);
      case "progress":
        return this.#progress(message);
      case "inbound_waits":
        return this.#noteWaiting(message);
      case "channel_ready":
        return this.#channelReady(message.isStreaming);
      case "channel_lost":
        this.#connection.isReady = false;
        return this.#tellDrained();
      case "state_remembered":
        return this.#rows.remember(message.key, message.channelState);
      case "row_changed":
        return this.#rows.reread(message.key);
      case "report_outbox":
        return message.replyTo.reply({
          channel: this.#options.channel,
          waiting: this.#rows.size,
          inFlight: this.#inFlight,
        });
      case "drain_outbox":
        this.#onDrained = message.replyTo;
        return this.#tellDrained();
      default:
        return this.#receiveNews(message);
    }
  }

  #receiveNews(news: OutboxNews): void {
    switch (news.type) {
      case "grown":
        return this.#grown(news.row, news.outcome);
      case "attempt_ended":
        return this.#attemptEnded(news.attempt, news.outcome);
      case "looked_up":
        return this.#lookedUp(news.row, news.outcome);
      case "progress_sent":
        return this.#progressSent(news.chatId, news.outcome);
      case "record":
        return this.#record(news.row, news.change);
      case "recorded":
        return this.#recorded(news);
      case "doubt_cleared":
        return this.#rows.doubtCleared(news.key, news.outcome);
      case "reread":
        return this.#serve(this.#rows.wasReread(news.key, news.outcome));
      case "refill":
        return this.#rows.refill();
      case "read_on":
        return this.#rows.readOn();
      case "refilled":
        for (const chatId of this.#rows.refilled(news.outcome)) this.#serve(chatId);
        return;
      case "lane_due":
        return this.#serve(news.chatId);
      default:
        return unreachable(news);
    }
  }

  #take(row: Outbound): void {
    this.#serve(this.#rows.take(row));
    this.#rows.clearUnfoundedDoubt(row.key);
  }

  #grow(growth: Growth): void {
    const chatId = this.#rows.chatOf(growth.key);
    if (chatId === undefined) return;
    this.#rows.lane(chatId).grow(growth);
    this.#serve(chatId);
  }

  #progress(progress: Progress): void {
    const { progress: { sendProgress, sendToolHints }, sparesMessages = false } = this.#options;
    if (sparesMessages) return;
    if (progress.isToolHint ? !sendToolHints : !sendProgress) return;
    const { isReady, isStreaming } = this.#connection;
    if (isStreaming || !isReady || progress.text.trim() === "") return;
    this.#rows.lane(progress.chatId).addProgress(progress);
    this.#serve(progress.chatId);
  }

  #noteWaiting({ platformId, isWaiting }: WaitingNote): void {
    if (this.#connection.isReady) this.#options.noteWaiting?.({ platformId, isWaiting });
  }

  #channelReady(isStreaming: boolean): void {
    this.#connection.isReady = true;
    this.#connection.isStreaming = isStreaming;
    for (const chatId of [...this.#rows.lanes.keys()]) this.#serve(chatId);
  }

  /** Starts the next thing of a chat, unless one is under way or nothing is due. */
  #serve(chatId: string): void {
    const lane = this.#rows.lanes.get(chatId);
    if (lane === undefined || lane.isBusy || !this.#connection.isReady) return;
    const next = lane.next(this.#context.clock.now(), this.#connection.isStreaming);
    switch (next.type) {
      case "nothing":
        if (lane.isEmpty) this.#rows.lanes.delete(chatId);
        return;
      case "wait":
        // Always anew: what the lane waits for may have changed since, and the timer have fired.
        lane.wake?.cancel();
        lane.wake = this.#context.after(next.delayMs, { type: "lane_due", chatId });
        return;
      case "progress":
        this.#occupy(lane, "");
        return this.#sendProgress(next.progress);
      case "growing":
        this.#occupy(lane, next.row.key);
        return this.#show(next.row, next.growth);
      case "final":
        this.#occupy(lane, next.row.key);
        return this.#send(next.row);
      default:
        return unreachable(next);
    }
  }

  #occupy(lane: ChatLane, key: string): void {
    lane.busyWith = key;
    lane.wake?.cancel();
    lane.wake = undefined;
    this.#inFlight++;
  }

  #release(chatId: string): void {
    const lane = this.#rows.lanes.get(chatId);
    invariant(lane?.isBusy === true, "a released lane was busy");
    lane.busyWith = undefined;
    this.#inFlight--;
    this.#serve(chatId);
    this.#tellDrained();
  }

  #tellDrained(): void {
    const isDone = !this.#connection.isReady ||
      [...this.#rows.lanes.values()].every((lane) => !lane.isBusy && !lane.hasPending);
    if (isDone) this.#onDrained?.reply("drained");
  }

  #sendProgress(progress: Progress): void {
    const { chatId } = progress;
    this.#context.pipe(
      (signal) => this.#courier.sendProgress(progress, signal),
      (outcome) => ({ type: "progress_sent", chatId, outcome }),
    );
  }

  /** What is said on the way is not said twice: the answer matters. */
  #progressSent(chatId: string, outcome: Outcome<DeliveryOutcome>): void {
    const failure = failureOf(outcome);
    if (failure !== undefined) {
      logger.info("{channel} did not show what was said on the way: {reason}", {
        channel: this.#options.channel,
        reason: failure.message,
      });
    }
    this.#release(chatId);
  }

  #show(row: Outbound, growth: Growth): void {
    this.#context.pipe(
      (signal) => this.#courier.show(row, growth, this.#carried(row), signal),
      (outcome) => ({ type: "grown", row, outcome }),
    );
  }

  #send(row: Outbound): void {
    const isUntried = this.#rows.tries(row.key);
    const nowMs = this.#context.clock.now();
    const doubtBeforeMs = isUntried ? null : row.doubtSinceMs;
    const { retry } = this.#options;
    const mustLookUp = row.state === "unknown" ||
      (doubtBeforeMs !== null && isWorn(doubtBeforeMs, nowMs, retry));
    if (mustLookUp) return this.#lookUp(row);
    const attempt: RowAttempt = { row, startedAtMs: nowMs, doubtBeforeMs };
    this.#context.pipe(
      (signal) => this.#courier.send(row, this.#carried(row), nowMs, signal),
      (outcome) => ({ type: "attempt_ended", attempt, outcome }),
    );
  }

  #lookUp(row: Outbound): void {
    logger.info("Looks up whether {key} arrived: an attempt had no clear end", { key: row.key });
    this.#context.pipe(
      (signal) => this.#courier.lookUp(row, this.#carried(row), signal),
      (outcome) => ({ type: "looked_up", row, outcome }),
    );
  }

  #carried(row: Outbound): Carried {
    return {
      channelState: this.#rows.channelState(row),
      isStreaming: this.#connection.isStreaming,
    };
  }

  #grown(row: Outbound, outcome: Outcome<DeliveryOutcome>): void {
    const failure = failureOf(outcome);
    if (failure !== undefined) {
      const details = { key: row.key, reason: failure.message };
      logger.debug("Cannot show {key} growing: {reason}", details);
      const delayMs = failure.retryAfterMs ?? GROWTH_RETRY_MS;
      this.#rows.lanes.get(row.chatId)?.holdGrowth(this.#context.clock.now() + delayMs);
    }
    this.#release(row.chatId);
  }

  #attemptEnded(attempt: RowAttempt, outcome: Outcome<DeliveryOutcome>): void {
    const { retry } = this.#options;
    const nowMs = this.#context.clock.now();
    const change = afterAttempt(attempt, outcome, { nowMs, random: this.#context.random, retry });
    this.#settle(attempt.row, change);
  }

  #lookedUp(row: Outbound, outcome: Outcome<LookUpOutcome>): void {
    const { retry } = this.#options;
    const nowMs = this.#context.clock.now();
    const change = afterLookUp(row, outcome, { nowMs, random: this.#context.random, retry });
    this.#settle({ ...row, state: "unknown" }, change);
  }

  /** Nothing went out while the journal could not be written: the same again in a while. */
  #settle(row: Outbound, change: OutboundChange | undefined): void {
    if (change === undefined) {
      this.#rows.lanes.get(row.chatId)?.hold(this.#context.clock.now() + JOURNAL_RETRY_MS);
      return this.#release(row.chatId);
    }
    this.#alarms.changed(row, change);
    this.#record(row, change);
  }

  /** A platform that knows our keys needs no sync: what a power cut undoes is only looked up. */
  #record(row: Outbound, change: OutboundChange): void {
    const { journal, retry } = this.#options;
    const mustSync = change.state === "sent" && retry.idempotencyMs === 0;
    this.#context.pipe(
      () => journal.commit({ outboundChanges: [change] }, mustSync ? "synced" : "written"),
      (outcome) => ({ type: "recorded", row, change, outcome }),
    );
  }

  /** An outcome that could not be recorded is recorded again, before the chat goes on. */
  #recorded({ row, change, outcome }: Extract<OutboxNews, { readonly type: "recorded" }>): void {
    const { key, chatId } = row;
    if (outcome.state === "failed" && outcome.error instanceof JournalError) {
      logger.error("Cannot record {key}: {reason}", { key, reason: outcome.error.message });
      this.#context.after(JOURNAL_RETRY_MS, { type: "record", row, change });
      return;
    }
    if (outcome.state === "failed") {
      // A person dropped it while it was on its way.
      logger.warn("Left {key} as it is: {reason}", { key, reason: outcome.error.message });
      this.#rows.leave(key, chatId);
    } else {
      if (change.state === "sent") this.#alarms.sent(row);
      const next: Outbound = { ...row, ...change };
      const isUndone = next.state === "pending" ||
        (next.state === "unknown" && next.doubtSinceMs !== null);
      if (isUndone) this.#rows.lanes.get(chatId)?.update(next);
      else this.#left(next);
    }
    this.#release(chatId);
  }

  /** It is over with a row. */
  #left(row: Outbound): void {
    this.#rows.leave(row.key, row.chatId);
    const news = messageOut(row);
    if (news !== null) this.#options.hooks?.tell(news);
  }
}
