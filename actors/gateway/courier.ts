/**
 * Carries the rows of one channel to it: what is shown while it grows, what is sent, what has to be
 * looked up. What must be durable before the platform hears of it is made so here.
 * @module
 */

import type { Delivery, Settled } from "../../channels/channel.ts";
import type { DeliveryOutcome, LookUpOutcome } from "../../channels/host_protocol.ts";
import type { Outbound } from "../journal/journal.ts";
import { AskError } from "../kernel/errors.ts";
import type { JsonValue } from "../kernel/json.ts";
import type { NewId } from "../kernel/random.ts";
import { contextAndChoices } from "../session/choices.ts";
import type { Growth, Progress } from "./chat_lane.ts";
import type { OutboxOptions } from "./outbox_protocol.ts";

/** Before what may be a repetition. */
const MAY_REPEAT_NOTICE = "(This may be a repetition: it is not known whether it arrived before.)";

/** What of a row depends on the moment in which it is carried. */
export interface Carried {
  /** What the channel remembered last. */
  readonly channelState: JsonValue;
  readonly isStreaming: boolean;
}

const ON_THE_WAY = "progress:";

/** A word on the way to an answer: it has no row, so the journal keeps nothing of it. */
export function isOnTheWay(key: string): boolean {
  return key.startsWith(ON_THE_WAY);
}

/** The way from one outbox to its channel. */
export class Courier {
  readonly #options: OutboxOptions;
  readonly #newId: NewId;

  constructor(options: OutboxOptions, newId: NewId) {
    this.#options = options;
    this.#newId = newId;
  }

  /** Sends a word on the way. */
  async sendProgress(
    { chatId, context, text }: Progress,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> {
    return await this.#deliver({
      key: `${ON_THE_WAY}${this.#newId()}`,
      chatId,
      phase: "final",
      text,
      isPlain: false,
      activity: "",
      media: [],
      context,
      channelState: null,
      settles: [],
    }, signal);
  }

  /** Shows a row as it stands. */
  async show(
    row: Outbound,
    growth: Growth,
    carried: Carried,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> {
    const { sendProgress, sendToolHints } = this.#options.progress;
    return await this.#deliver({
      ...base(row, carried),
      phase: "growing",
      text: joinText(sendProgress ? growth.preamble : "", growth.text),
      activity: joinLines(
        sendToolHints ? growth.activity : "",
        sendProgress ? growth.progress ?? "" : "",
      ),
      ...(growth.reasoning !== undefined && { reasoning: growth.reasoning }),
      settles: [],
    }, signal);
  }

  /**
   * Sends a row. That it may have arrived is durable before the platform is called.
   *
   * @throws {JournalError} when it was not sent
   */
  async send(
    row: Outbound,
    carried: Carried,
    startedAtMs: number,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> {
    const delivery = await this.#finalDelivery(row, carried);
    if (row.doubtSinceMs === null) {
      const change = { key: row.key, doubtSinceMs: startedAtMs };
      await this.#options.journal.commit({ outboundChanges: [change] });
    }
    return await this.#deliver(delivery, signal);
  }

  /**
   * Looks up whether a row arrived, which is `unknown` from now on.
   *
   * @throws {JournalError} when it was not asked for
   */
  async lookUp(row: Outbound, carried: Carried, signal: AbortSignal): Promise<LookUpOutcome> {
    if (row.state !== "unknown") {
      const change = { key: row.key, state: "unknown" } as const;
      await this.#options.journal.commit({ outboundChanges: [change] }, "written");
    }
    return await this.#options.lookUp(await this.#finalDelivery(row, carried), signal);
  }

  async #finalDelivery(row: Outbound, carried: Carried): Promise<Delivery> {
    const isPreambleShown = carried.isStreaming && this.#options.progress.sendProgress;
    return {
      ...base(row, carried),
      phase: "final",
      text: joinText(isPreambleShown ? row.preamble : "", row.content),
      activity: "",
      settles: await this.#settles(row),
      ...(row.mayRepeat && { notice: MAY_REPEAT_NOTICE }),
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

  /** A channel that did not answer may have sent it; one that could not take it has not. */
  async #deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryOutcome> {
    try {
      return await this.#options.deliver(delivery, signal);
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
      const code = error.code === "ask_refused" ? "delivery_transient" : "delivery_unknown";
      return { state: "failed", code, message: error.message };
    }
  }
}

function base(
  row: Outbound,
  { channelState }: Carried,
): Omit<Delivery, "phase" | "text" | "activity" | "settles"> {
  const { key, chatId, isPlain, media } = row;
  return { key, chatId, isPlain, media, ...contextAndChoices(row.context), channelState };
}

function joinText(preamble: string, text: string): string {
  return [preamble, text].filter((part) => part !== "").join("\n\n");
}

function joinLines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}
