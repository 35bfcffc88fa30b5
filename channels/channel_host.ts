/**
 * Hosts one channel as an actor: the same in a Worker and in the main process.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Actor, ActorContext } from "../actors/kernel/actor.ts";
import { asError, GatewayError } from "../actors/kernel/errors.ts";
import { unreachable } from "../actors/kernel/invariant.ts";
import type { ActorRef, ReplyTo } from "../actors/kernel/ref.ts";
import { withTrace } from "../actors/kernel/trace.ts";
import { turnOfKey } from "../actors/journal/journal_rows.ts";
import {
  type Channel,
  type ChannelCommand,
  type ChannelContext,
  type ChannelInbound,
  type Delivery,
  DeliveryError,
  type HandInResult,
  type LookUp,
  type Transcription,
} from "./channel.ts";
import { DeliveryMemory } from "./delivery_memory.ts";
import type {
  DeliveryOutcome,
  FromChannel,
  LookUpOutcome,
  NoteWaiting,
  ToChannel,
} from "./host_protocol.ts";
import { KeyedTurns } from "./keyed_turns.ts";

const logger = getLogger(["troupe", "channels", "host"]);

/** Longest wait of a channel for the gateway's journal. The platform wants an answer within 3 s. */
const HAND_IN_TIMEOUT_MS = 2_500;
const STORE_TIMEOUT_MS = 10_000;
/** Longest time for one recording, with all attempts to have it written down. */
const TRANSCRIBE_TIMEOUT_MS = 300_000;

/**
 * A delivery that could not begin for longer is refused, wherever it waited: here, on the way, or at
 * a channel that started anew. Whether its key still protects it was found out before it was asked
 * for, and who asked may have given up on it.
 */
const BEGIN_WITHIN_MS = 5_000;

type Internal =
  | { readonly type: "ran"; readonly error: Error | null }
  | {
    readonly type: "delivered";
    readonly replyTo: ReplyTo<DeliveryOutcome>;
    readonly outcome: DeliveryOutcome;
  }
  | {
    readonly type: "looked_up";
    readonly replyTo: ReplyTo<LookUpOutcome>;
    readonly outcome: LookUpOutcome;
  };

/** All that a host understands. */
export type ChannelHostMessage = ToChannel | Internal;

/** What a host is made of. */
export interface ChannelHostOptions {
  /** Runtime name of the channel. */
  readonly name: string;
  readonly mediaFolder: string;
  readonly stateFolder?: string;
  readonly workspaceFolder?: string;
  readonly commands?: readonly ChannelCommand[];
  readonly gateway: ActorRef<FromChannel>;
  /** Loads the channel's module, inside the isolate where it runs. */
  readonly load: () => Promise<(context: ChannelContext) => Channel>;
}

/** Runs a channel and carries messages between it and the gateway. */
export class ChannelHost implements Actor<ChannelHostMessage> {
  readonly #context: ActorContext<ChannelHostMessage>;
  readonly #gateway: ActorRef<FromChannel>;
  readonly #channel: Promise<Channel>;
  /** An outbox that failed may ask anew before what it had asked for has ended. */
  readonly #turns = new KeyedTurns();
  readonly #memory = new DeliveryMemory();
  #isStreaming = false;
  readonly #ending = new AbortController();
  #stopping: ReplyTo<"stopped"> | undefined;
  #hasEnded = false;

  constructor(context: ActorContext<ChannelHostMessage>, options: ChannelHostOptions) {
    this.#context = context;
    this.#gateway = options.gateway;
    this.#channel = this.#load(options);
    context.signal.addEventListener("abort", () => this.#ending.abort(), { once: true });
    context.pipe(
      async () => await (await this.#channel).run(),
      (outcome) => ({ type: "ran", error: outcome.state === "ok" ? null : outcome.error }),
    );
  }

  receive(message: ChannelHostMessage): void {
    switch (message.type) {
      case "deliver":
        return this.#deliver(message);
      case "look_up":
        return this.#lookUp(message.delivery, message.replyTo);
      case "note_waiting":
        return this.#noteWaiting(message);
      case "delivered":
        return message.replyTo.reply(message.outcome);
      case "looked_up":
        return message.replyTo.reply(message.outcome);
      case "stop":
        return this.#stop(message.replyTo);
      case "ran":
        return this.#ran(message.error);
      default:
        return unreachable(message);
    }
  }

  stopped(): void {
    this.#ending.abort();
  }

  async #load(options: ChannelHostOptions): Promise<Channel> {
    const create = await options.load();
    const channel = create(this.#channelContext(options));
    this.#isStreaming = channel.isStreaming;
    return channel;
  }

  #deliver(
    { delivery, askedAtMs, replyTo }: Extract<ChannelHostMessage, { readonly type: "deliver" }>,
  ): void {
    const { clock } = this.#context;
    this.#context.pipe(
      (signal) =>
        this.#traced(delivery, async () => {
          const channel = await this.#channel;
          signal.throwIfAborted();
          if (clock.now() - askedAtMs > BEGIN_WITHIN_MS) throw tooLate(delivery);
          const receipt = await channel.deliver(this.#memory.newest(delivery), signal);
          if (delivery.phase === "final") this.#memory.forget(delivery.key);
          return receipt;
        }),
      (outcome) => ({
        type: "delivered",
        replyTo,
        outcome: outcome.state === "ok"
          ? { state: "sent", receipt: outcome.value }
          : failedDelivery(outcome.error),
      }),
    );
  }

  #lookUp(delivery: Delivery, replyTo: ReplyTo<LookUpOutcome>): void {
    this.#context.pipe(
      (signal) =>
        this.#traced(delivery, async (): Promise<LookUp> => {
          signal.throwIfAborted();
          const channel = await this.#channel;
          return await channel.lookUp?.(this.#memory.newest(delivery), signal) ?? "cannot_tell";
        }),
      (outcome) => ({
        type: "looked_up",
        replyTo,
        outcome: outcome.state === "ok"
          ? { state: "looked", found: outcome.value }
          : failedDelivery(outcome.error),
      }),
    );
  }

  /** After what is done for the same message, and so that the log names its turn. */
  #traced<T>({ key }: Delivery, work: () => Promise<T>): Promise<T> {
    return withTrace(turnOfKey(key), () => this.#turns.run(key, work));
  }

  #noteWaiting({ platformId, isWaiting }: NoteWaiting): void {
    const noting = this.#channel.then((channel) => channel.noteWaiting?.(platformId, isWaiting));
    noting.catch(() => {}); // a channel that cannot be made ends its host by itself
  }

  #stop(replyTo: ReplyTo<"stopped">): void {
    this.#stopping = replyTo;
    this.#ending.abort();
    if (this.#hasEnded) replyTo.reply("stopped");
  }

  #ran(error: Error | null): void {
    this.#hasEnded = true;
    if (this.#stopping !== undefined) return this.#stopping.reply("stopped");
    // What may pass by itself is a fault: the supervisor starts the channel again.
    if (error !== null && !(error instanceof GatewayError && error.recovery === "give_up")) {
      throw error;
    }
    this.#gateway.tell({ type: "run_ended", error: error?.message ?? null });
  }

  #channelContext(options: ChannelHostOptions): ChannelContext {
    const { name, mediaFolder, stateFolder, workspaceFolder, commands } = options;
    const { clock, random, newId } = this.#context;
    return {
      name,
      clock,
      random,
      newId,
      mediaFolder,
      ...(stateFolder !== undefined && { stateFolder }),
      ...(workspaceFolder !== undefined && { workspaceFolder }),
      ...(commands !== undefined && { commands }),
      signal: this.#ending.signal,
      handIn: (inbound) => this.#handIn(inbound),
      complete: async (platformId, contents) => {
        const type = "complete_inbound";
        await this.#ask<"completed">((replyTo) => ({ type, platformId, contents, replyTo }));
      },
      drafts: () => this.#ask((replyTo) => ({ type: "list_drafts", replyTo })),
      withdraw: async (platformId) => {
        const type = "withdraw_inbound";
        await this.#ask<"withdrawn">((replyTo) => ({ type, platformId, replyTo }));
      },
      transcribe: (path) => this.#transcribe(path),
      remember: async (key, channelState, keeping = "synced") => {
        const type = "remember";
        this.#memory.forget(key);
        await this.#ask<"remembered">((replyTo) => ({ type, key, channelState, keeping, replyTo }));
        this.#memory.stored(key, channelState);
      },
      rememberInbound: async (platformId, channelState) => {
        const type = "remember_inbound";
        await this.#ask<"remembered">((replyTo) => ({ type, platformId, channelState, replyTo }));
      },
      recallInbound: (platformId) =>
        this.#ask((replyTo) => ({ type: "recall_inbound", platformId, replyTo })),
      readCursor: () => this.#ask((replyTo) => ({ type: "read_cursor", replyTo })),
      keepCursor: async (cursor) => {
        await this.#ask<"remembered">((replyTo) => ({ type: "keep_cursor", cursor, replyTo }));
      },
      sessions: {
        list: () => this.#ask((replyTo) => ({ type: "list_sessions", replyTo })),
        read: (key) => this.#ask((replyTo) => ({ type: "read_session", key, replyTo })),
        erase: (key) => this.#ask((replyTo) => ({ type: "erase_session", key, replyTo })),
      },
      informOwners: (text) => this.#gateway.tell({ type: "owners_informed", text }),
      report: (connection) => {
        const isStreaming = this.#isStreaming;
        this.#gateway.tell({ type: "connection_changed", connection, isStreaming });
      },
    };
  }

  #ask<Answer>(makeMessage: (replyTo: ReplyTo<Answer>) => FromChannel): Promise<Answer> {
    return this.#gateway.ask(makeMessage, { timeoutMs: STORE_TIMEOUT_MS });
  }

  async #transcribe(path: string): Promise<Transcription> {
    try {
      return await this.#gateway.ask<Transcription>(
        (replyTo) => ({ type: "transcribe", path, replyTo }),
        { timeoutMs: TRANSCRIBE_TIMEOUT_MS },
      );
    } catch (error) {
      return { state: "failed", reason: asError(error).message };
    }
  }

  /** A gateway that does not answer in time counts as a refusal: the platform will send again. */
  async #handIn(inbound: ChannelInbound): Promise<HandInResult> {
    const wantsStream = this.#isStreaming;
    try {
      return await this.#gateway.ask<HandInResult>(
        (replyTo) => ({ type: "hand_in", inbound, wantsStream, replyTo }),
        { timeoutMs: HAND_IN_TIMEOUT_MS },
      );
    } catch (error) {
      logger.warn("Cannot hand in message {platformId}: {reason}", {
        platformId: inbound.platformId,
        reason: asError(error).message,
      });
      return "refused";
    }
  }
}

function tooLate({ key }: Delivery): DeliveryError {
  const state = `it could not begin within ${BEGIN_WITHIN_MS} ms, and is tried again`;
  return new DeliveryError("delivery_transient", `Cannot deliver "${key}": ${state}`);
}

function failedDelivery(error: Error): Extract<DeliveryOutcome, { readonly state: "failed" }> {
  if (!(error instanceof DeliveryError)) {
    return { state: "failed", code: "delivery_transient", message: error.message };
  }
  const { code, message, retryAfterMs } = error;
  return { state: "failed", code, message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}
