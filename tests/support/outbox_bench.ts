/**
 * An outbox over a journal, and a channel whose deliveries and look-ups the test settles by hand.
 * @module
 */

import assert from "node:assert/strict";
import type { Failure } from "../../actors/gateway/delivery_retry.ts";
import { outboxActor, type OutboxActorMessage } from "../../actors/gateway/outbox.ts";
import type { AlarmMessage } from "../../actors/gateway/owner_notices.ts";
import type { NewOutbound, Outbound } from "../../actors/journal/journal.ts";
import { MemoryJournal, type MemoryJournalOptions } from "../../actors/journal/memory_journal.ts";
import type { JournalRows } from "../../actors/journal/memory_store.ts";
import type { ActorRef } from "../../actors/kernel/ref.ts";
import type { Delivery } from "../../channels/channel.ts";
import type { DeliveryOutcome, LookUpOutcome } from "../../channels/host_protocol.ts";
import type { ManualClock } from "./manual_clock.ts";
import { Probe } from "./probe.ts";
import { type TestSystem, testSystem } from "./system.ts";
import { settle } from "./until.ts";

/** A delivery that arrived. */
export const SENT: DeliveryOutcome = { state: "sent", receipt: { messageIds: ["om_1"] } };
/** A delivery that did not, and may later. */
export const BUSY: Failure = {
  state: "failed",
  code: "delivery_transient",
  message: "busy",
};
/** A delivery that may have arrived. */
export const DOUBT: Failure = {
  state: "failed",
  code: "delivery_unknown",
  message: "no answer",
};
/** How long the bench's platform knows a key. */
export const KEY_MS: number = 55 * 60_000;

/** Something the channel was asked to do. */
export interface Asked<Outcome> {
  readonly delivery: Delivery;
  settle(outcome: Outcome): Promise<void>;
}

/** What a bench may be made with; everything has a default. */
export interface OutboxBenchOptions {
  readonly sendProgress?: boolean;
  readonly sendToolHints?: boolean;
  readonly isStreaming?: boolean;
  readonly sparesMessages?: boolean;
  /** The channel connects at once. @default true */
  readonly isReady?: boolean;
  /** @default {@link KEY_MS} */
  readonly idempotencyMs?: number;
  /** What an earlier life left behind. */
  readonly rows?: JournalRows;
  readonly clock?: ManualClock;
  readonly onCommit?: MemoryJournalOptions["onCommit"];
}

/** Holds everything; use it with `await using`. */
export class OutboxBench implements AsyncDisposable {
  readonly home: TestSystem;
  readonly journal: MemoryJournal;
  readonly outbox: ActorRef<OutboxActorMessage>;
  readonly alarms: Probe<AlarmMessage> = new Probe();
  readonly attempts: Asked<DeliveryOutcome>[] = [];
  readonly lookUps: Asked<LookUpOutcome>[] = [];

  constructor(options: OutboxBenchOptions = {}) {
    const { sendProgress = true, sendToolHints = false, isStreaming = true } = options;
    const { isReady = true, idempotencyMs = KEY_MS, rows, clock, onCommit } = options;
    this.home = testSystem(clock && { clock });
    this.journal = new MemoryJournal({
      clock: this.home.clock,
      defer: queueMicrotask,
      ...(rows && { rows }),
      ...(onCommit && { onCommit }),
    });
    this.outbox = this.home.system.spawn(outboxActor({
      channel: "feishu",
      journal: this.journal,
      progress: { sendProgress, sendToolHints },
      sparesMessages: options.sparesMessages,
      retry: { quickAttemptsMax: 3, idempotencyMs },
      alarms: this.alarms,
      deliver: (delivery) => ask(delivery, this.attempts),
      lookUp: (delivery) => ask(delivery, this.lookUps),
    }));
    if (isReady) this.outbox.tell({ type: "channel_ready", isStreaming });
  }

  get clock(): ManualClock {
    return this.home.clock;
  }

  /** Commits a row and tells the outbox of it, as a session does. */
  async commit(row: NewOutbound): Promise<Outbound> {
    const [committed] = await this.journal.commit({ outbounds: [row] });
    assert.ok(committed);
    this.outbox.tell({ type: "row_committed", row: committed });
    await this.settle();
    return committed;
  }

  /** The delivery with this number, from 0; from the end where it is negative. */
  attempt(index: number): Asked<DeliveryOutcome> {
    const found = this.attempts.at(index);
    assert.ok(found, `attempt ${index} was made`);
    return found;
  }

  /** The look-up with this number. */
  lookUp(index: number): Asked<LookUpOutcome> {
    const found = this.lookUps.at(index);
    assert.ok(found, `look-up ${index} was made`);
    return found;
  }

  /** Keys of all deliveries so far. */
  keys(): string[] {
    return this.attempts.map(({ delivery }) => delivery.key);
  }

  /** Lets the next timer fire. */
  async nextTimer(): Promise<void> {
    await this.clock.advance(Number(this.clock.nextDueMs) - this.clock.now());
    await this.settle();
  }

  /** Lets everything run that needs no time. */
  async settle(): Promise<void> {
    await settle();
    await settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]();
  }
}

function ask<Outcome>(delivery: Delivery, asked: Asked<Outcome>[]): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  asked.push({
    delivery,
    settle: async (outcome) => {
      resolve(outcome);
      await settle();
      await settle();
    },
  });
  return promise;
}
