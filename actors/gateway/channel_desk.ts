/**
 * What a channel asks of the gateway: to take messages in, to complete or drop them, to remember
 * something, to write down what was said.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { ChannelInbound, Transcription } from "../../channels/channel.ts";
import type { FromChannel } from "../../channels/channel_host.ts";
import type { Accepted, Durability, Inbound, Journal, Step } from "../journal/journal.ts";
import type { Outcome } from "../kernel/actor.ts";
import { unreachable } from "../kernel/invariant.ts";
import type { ActorRef, ReplyTo } from "../kernel/ref.ts";
import type { OutboxControl } from "./outbox.ts";
import type { RouterMessage } from "./router.ts";
import { effectiveSessionKey } from "./session_key.ts";

const logger = getLogger(["troupe", "gateway", "channel"]);

/** Drafts in one page. */
const DRAFTS_MAX = 256;

/** Those of a channel's messages that want an answer. */
export type ChannelRequest = Extract<FromChannel, { readonly replyTo: unknown }>;

/** Writes down what is said in a sound file of a channel's media folder; never rejects. */
export type Transcribe = (path: string, signal: AbortSignal) => Promise<Transcription>;

/** What a desk works with. */
export interface ChannelDeskOptions {
  /** Runtime name of the channel. */
  readonly name: string;
  readonly journal: Journal;
  readonly router: ActorRef<RouterMessage>;
  readonly outbox: ActorRef<OutboxControl>;
  readonly isUnified: boolean;
  /** @default nobody does */
  readonly transcribe?: Transcribe | undefined;
  /** Runs work beside the mailbox; `done` is not called once the actor has ended. */
  readonly pipe: <T>(
    work: (signal: AbortSignal) => Promise<T>,
    done: (outcome: Outcome<T>) => void,
  ) => void;
}

/** Answers the requests of one channel. Only what is durable is acknowledged. */
export class ChannelDesk {
  readonly #options: ChannelDeskOptions;
  #takesInput = true;
  /** Why the last message was refused; null when it was not. */
  #lastRefusal: string | null = null;

  constructor(options: ChannelDeskOptions) {
    this.#options = options;
  }

  /** Takes nothing more in. Drafts may still be completed; the next start works on them. */
  stopIntake(): void {
    this.#takesInput = false;
  }

  /** Answers a request, at once or later. */
  receive(request: ChannelRequest): void {
    const { name: channel, journal, outbox, pipe } = this.#options;
    switch (request.type) {
      case "hand_in":
        return this.#handIn(request);
      case "complete_inbound": {
        const { platformId, contents } = request;
        return this.#pass(
          () => journal.complete({ channel, platformId, ...contents }),
          request.replyTo,
          (inbound) => {
            if (inbound !== null) this.#tellRouter({ type: "inbound_accepted", inbound });
            return "completed";
          },
        );
      }
      case "list_drafts":
        return this.#pass(
          () => journal.drafts(channel, 0, DRAFTS_MAX),
          request.replyTo,
          (drafts) => drafts.map(asChannelInbound),
        );
      case "withdraw_inbound":
        return this.#pass(
          () => journal.inbound(channel, request.platformId),
          request.replyTo,
          (inbound) => {
            if (inbound?.state === "accepted") {
              this.#options.router.tell({ type: "inbound_withdrawn", inbound });
            }
            return "withdrawn";
          },
        );
      case "remember": {
        const { key, channelState, keeping, replyTo } = request;
        const step = { outboundChanges: [{ key, channelState }] };
        return this.#store(step, keeping, replyTo, () => {
          outbox.tell({ type: "state_remembered", key, channelState });
        });
      }
      case "remember_inbound": {
        const { platformId, channelState } = request;
        const inboundMemory = [{ channel, platformId, channelState }];
        return this.#store({ inboundMemory }, "written", request.replyTo);
      }
      case "transcribe": {
        const { transcribe } = this.#options;
        if (transcribe === undefined) return request.replyTo.reply({ state: "off" });
        return pipe((signal) => transcribe(request.path, signal), (outcome) => {
          answer(outcome, request.replyTo, (transcription) => transcription);
        });
      }
      default:
        return unreachable(request);
    }
  }

  #handIn({ inbound, wantsStream, replyTo }: Extract<ChannelRequest, { type: "hand_in" }>): void {
    if (!this.#takesInput) return replyTo.reply("refused");
    const { name: channel, isUnified, journal, pipe } = this.#options;
    const { sessionKey: override, ...message } = inbound;
    const { chatId, platformId } = message;
    const sessionKey = effectiveSessionKey({ channel, chatId, override, isUnified });
    pipe(() => journal.accept({ ...message, channel, sessionKey, wantsStream }), (outcome) => {
      if (outcome.state === "ok") return replyTo.reply(this.#accepted(outcome.value));
      this.#noteRefusal(platformId, outcome.error.message);
      replyTo.reply("refused");
    });
  }

  /** Platforms send what was refused again and again: each reason is told once until it passes. */
  #noteRefusal(platformId: string, reason: string): void {
    const level = reason === this.#lastRefusal ? "debug" : "error";
    this.#lastRefusal = reason;
    logger[level]("Cannot accept message {platformId}: {reason}", { platformId, reason });
  }

  #accepted(accepted: Accepted): "accepted" | "duplicate" {
    this.#lastRefusal = null;
    if (accepted.state === "duplicate") return "duplicate";
    const { inbound } = accepted;
    if (inbound.draft === null) this.#tellRouter({ type: "inbound_accepted", inbound });
    return "accepted";
  }

  /** Once the gateway stops, what becomes ready is left to the next start. */
  #tellRouter(message: RouterMessage): void {
    if (this.#takesInput) this.#options.router.tell(message);
  }

  #store(
    step: Step,
    durability: Durability,
    replyTo: ReplyTo<"remembered">,
    stored: () => void = () => {},
  ): void {
    this.#pass(() => this.#options.journal.commit(step, durability), replyTo, () => {
      stored();
      return "remembered";
    });
  }

  #pass<T, Answer>(
    work: () => Promise<T>,
    replyTo: ReplyTo<Answer>,
    answerOf: (value: T) => Answer,
  ): void {
    this.#options.pipe(work, (outcome) => answer(outcome, replyTo, answerOf));
  }
}

function answer<T, Answer>(
  outcome: Outcome<T>,
  replyTo: ReplyTo<Answer>,
  answerOf: (value: T) => Answer,
): void {
  if (outcome.state === "ok") replyTo.reply(answerOf(outcome.value));
  else replyTo.refuse(outcome.error);
}

function asChannelInbound(inbound: Inbound): ChannelInbound {
  const { platformId, chatId, senderId, content, media, context, sessionKey, draft } = inbound;
  const message = { platformId, chatId, senderId, content, media, context, sessionKey };
  return draft === null ? message : { ...message, draft };
}
