/**
 * Tells log and owners of deliveries that fail for long, or for good.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Outbound, OutboundChange } from "../journal/journal.ts";
import type { ActorRef } from "../kernel/ref.ts";
import { isLasting, type RetryRules } from "./delivery_retry.ts";
import { type AlarmMessage, isNotice } from "./owner_notices.ts";

const logger = getLogger(["troupe", "gateway", "outbox"]);

/** What the alarms of one outbox depend on. */
export interface DeliveryAlarmsOptions {
  readonly channel: string;
  readonly retry: RetryRules;
  readonly alarms?: ActorRef<AlarmMessage> | undefined;
}

/** Watches what becomes of the rows of one channel. */
export class DeliveryAlarms {
  readonly #options: DeliveryAlarmsOptions;
  /** Subjects of alarms that were raised and not cleared. */
  readonly #raised = new Set<string>();

  constructor(options: DeliveryAlarmsOptions) {
    this.#options = options;
  }

  /** A row was not sent: `change` says what follows. */
  changed(row: Outbound, change: OutboundChange): void {
    if (change.state === "sent") return;
    const { channel, retry } = this.#options;
    const reason = change.error ?? row.error ?? "its fate is not known";
    const attempt = change.attempts ?? row.attempts;
    const details = { key: row.key, attempt, reason };
    const isOver = change.state === "failed" ||
      (change.state === "unknown" && change.doubtSinceMs === null);
    if (isOver) {
      logger.error("Cannot send {key} (attempt {attempt}), given up: {reason}", details);
      this.#raise(
        row,
        this.#chatSubject(row),
        `A message to ${channel} chat ${row.chatId} ` +
          `could not be delivered and was given up: ${reason}`,
      );
      return;
    }
    if (change.error === undefined) return;
    logger.warn("Cannot send {key} (attempt {attempt}), will try again: {reason}", details);
    if (!isLasting(attempt, retry)) return;
    this.#raise(
      row,
      this.#channelSubject,
      `Messages to ${channel} cannot be delivered at present; ` +
        `they are kept and tried again for a day. Reason: ${reason}`,
    );
  }

  /** A row was sent. */
  sent(row: Outbound): void {
    if (this.#raised.size === 0) return;
    for (const subject of [this.#channelSubject, this.#chatSubject(row)]) {
      if (this.#raised.delete(subject)) {
        this.#options.alarms?.tell({ type: "alarm_cleared", subject });
      }
    }
  }

  /** A notice that cannot be delivered is no reason for another one. */
  #raise(row: Outbound, subject: string, text: string): void {
    if (isNotice(row) || this.#raised.has(subject)) return;
    this.#raised.add(subject);
    this.#options.alarms?.tell({ type: "alarm_raised", subject, text });
  }

  get #channelSubject(): string {
    return `delivery:${this.#options.channel}`;
  }

  #chatSubject({ chatId }: Outbound): string {
    return `delivery:${this.#options.channel}:${chatId}`;
  }
}
