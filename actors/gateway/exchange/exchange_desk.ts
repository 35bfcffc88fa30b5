/**
 * Programs as a channel: each message that one hands in is a piece of work of its own, in whichever
 * conversation it names. It lives in the gateway's process.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type {
  Channel,
  ChannelContext,
  ChannelSessionMessage,
  Delivery,
  DeliveryReceipt,
} from "../../../channels/channel.ts";
import type { Inbound } from "../../journal/journal.ts";
import { whenAborted } from "../../kernel/aborting.ts";
import { asError } from "../../kernel/errors.ts";
import { asJson, type JsonObject } from "../../kernel/json.ts";
import { ownWork, stopsWork, workOf } from "../../session/own_work.ts";
import type { TurnListener } from "../../session/turn_events.ts";
import type { LocalChannel } from "../channel_wiring.ts";
import { type Exchange, LiveExchange } from "./exchange.ts";
import type { ExchangeEnd, ExchangeEvent } from "./exchange_events.ts";

const logger = getLogger(["troupe", "gateway", "exchange"]);

/** What is handed in. */
export interface ExchangeMessage {
  readonly content: string;
  /** The conversation: `channel:name`. */
  readonly sessionKey: string;
  /** Who says it, as owners and memories know people. */
  readonly senderId: string;
  /** Absolute paths of files. @default none */
  readonly media?: readonly string[];
  /**
   * Names the message: handed in again under the same id, it is not worked on again, and ends as it
   * did, also after a restart. @default a new one
   */
  readonly id?: string | undefined;
  /** Kept with the message. @default nothing */
  readonly context?: JsonObject;
}

/** Carries messages of programs in, and what comes of them out. */
export class ExchangeDesk {
  /** To be given to the gateway. */
  readonly local: LocalChannel;
  readonly #live = new Map<string, LiveExchange>();
  #connected = Promise.withResolvers<ChannelContext>();
  readonly #detail: string;

  /**
   * @param name of the channel
   * @param detail says who comes in there, for people who look at channels
   */
  constructor(name: string, detail: string) {
    this.#detail = detail;
    this.local = {
      name,
      create: (context) => this.#connect(context),
      listenerOf: (home) => this.#listenerOf(home),
    };
  }

  /** Hands a message in; what comes of it, refusals too, is told by the exchange. */
  open(message: ExchangeMessage, newId: () => string): Exchange {
    const id = message.id ?? newId();
    const running = this.#live.get(id);
    if (running !== undefined) return new FollowedExchange(running);
    const { sessionKey, senderId } = message;
    const exchange = new LiveExchange({ id, sessionKey, senderId }, (live) => this.#stop(live));
    this.#live.set(id, exchange);
    void this.#handIn(exchange, message);
    return exchange;
  }

  /** What was said in a conversation of this channel; null when there is none. */
  async history(sessionKey: string): Promise<readonly ChannelSessionMessage[] | null> {
    return await (await this.#connected.promise).sessions?.read(sessionKey) ?? null;
  }

  #connect(context: ChannelContext): Channel {
    this.#connected.resolve(context); // to those who wait
    this.#connected = Promise.withResolvers();
    this.#connected.resolve(context); // to those who come: a life before this one may have ended
    return {
      isStreaming: true,
      run: () => this.#run(context),
      deliver: (delivery) => this.#deliver(delivery, context),
    };
  }

  /** There is nothing to connect to: ready at once, until it is stopped. */
  async #run({ signal, report }: ChannelContext): Promise<void> {
    report({ state: "ready", detail: this.#detail });
    await whenAborted(signal);
    for (const exchange of this.#live.values()) this.#gone(exchange);
  }

  #gone(exchange: LiveExchange): void {
    this.#live.delete(exchange.id);
    exchange.fail("gateway_stopped", "The gateway stopped before the answer was there.");
  }

  #listenerOf({ platformId }: Inbound): TurnListener | undefined {
    const exchange = this.#live.get(platformId);
    return exchange && ((event) => exchange.hear(event));
  }

  async #handIn(exchange: LiveExchange, message: ExchangeMessage): Promise<void> {
    const context = await this.#connected.promise;
    const { content, sessionKey, senderId, media = [] } = message;
    const { id } = exchange;
    const result = context.signal.aborted ? "refused" : await context.handIn({
      platformId: id,
      chatId: chatOf(sessionKey),
      ...{ senderId, content, sessionKey, media },
      context: { ...message.context, ...ownWork(id), isKept: message.id !== undefined },
    });
    if (result !== "refused") exchange.accepted();
    if (result === "duplicate") await this.#endAsBefore(exchange, context);
    if (result !== "refused") return;
    this.#live.delete(id);
    exchange.fail("not_taken", "The message could not be kept, so nothing was done about it.");
  }

  /** Where it has not ended yet, its end will come by a delivery like any other. */
  async #endAsBefore(exchange: LiveExchange, { recallInbound }: ChannelContext): Promise<void> {
    try {
      const end = endSchema.safeParse(await recallInbound?.(exchange.id));
      if (!end.success) return;
      this.#live.delete(exchange.id);
      exchange.settle(end.data);
    } catch (error) {
      const reason = asError(error).message;
      logger.warn("Cannot look up how {id} ended: {reason}", { id: exchange.id, reason });
    }
  }

  async #deliver(delivery: Delivery, context: ChannelContext): Promise<DeliveryReceipt> {
    const receipt = { messageIds: [] };
    if (delivery.phase === "growing") return receipt; // the turn itself is watched
    const { settles } = delivery;
    if (settles.length === 0) this.#live.get(workOf(delivery) ?? "")?.said(delivery);
    for (const { platformId: id, outcome } of settles) {
      // Nobody waits for those of an earlier process.
      const exchange = this.#live.get(id) ?? new LiveExchange({ id, ...NOBODY }, () => {});
      const end = exchange.endWith(outcome, delivery);
      // What a repeated message is answered with: kept before anybody takes it for delivered.
      const isKept = delivery.context["isKept"] === true && id === workOf(delivery);
      if (isKept) await context.rememberInbound(id, asJson(end));
      this.#live.delete(id);
      exchange.settle(end);
    }
    return receipt;
  }

  #stop({ id, sessionKey, senderId }: LiveExchange): void {
    void this.#connected.promise.then(async (context) => {
      const result = await context.handIn({
        platformId: `${id}:stop`,
        chatId: chatOf(sessionKey),
        ...{ sessionKey, senderId },
        content: "/stop",
        media: [],
        context: stopsWork(id),
      });
      if (result === "refused") logger.warn("Cannot stop the work on {id}: not kept", { id });
    });
  }
}

const NOBODY = { sessionKey: "", senderId: "" };

/** What memories, jobs and tools know a conversation by. */
function chatOf(sessionKey: string): string {
  return sessionKey.slice(sessionKey.indexOf(":") + 1);
}

/** The same message, handed in once more while it is worked on. */
class FollowedExchange implements Exchange {
  readonly #followed: LiveExchange;

  constructor(followed: LiveExchange) {
    this.#followed = followed;
  }

  get id(): string {
    return this.#followed.id;
  }

  get end(): Promise<ExchangeEnd> {
    return this.#followed.end;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ExchangeEvent, void, void> {
    yield { type: "accepted" };
    yield await this.end;
  }

  /** Whoever asked first still waits for it. */
  stop(): void {}
}

const usageSchema = z.object({
  promptTokens: z.number(),
  completionTokens: z.number(),
  totalTokens: z.number(),
  cachedTokens: z.number(),
  reasoningTokens: z.number(),
  isEstimated: z.boolean(),
});

const endSchema: z.ZodType<ExchangeEnd> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("finished"),
    text: z.string(),
    media: z.array(z.string()),
    finishReason: z.enum(["stop", "length", "content_filter"]),
    usage: usageSchema,
  }),
  z.object({
    type: z.literal("failed"),
    reason: z.enum(["not_taken", "turn_failed", "stopped", "gateway_stopped"]),
    text: z.string(),
    usage: usageSchema,
  }),
]);
