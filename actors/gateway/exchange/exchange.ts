/**
 * One message that a program handed in, and all that comes of it.
 * @module
 */

import type { Delivery, Settled } from "../../../channels/channel.ts";
import type { FinishReason } from "../../../providers/provider.ts";
import { unreachable } from "../../kernel/invariant.ts";
import type { TurnEvent } from "../../session/turn_events.ts";
import { EventQueue } from "./event_queue.ts";
import {
  type ExchangeEnd,
  type ExchangeEvent,
  type ExchangeFailure,
  type ExchangeUsage,
  NOTHING_USED,
} from "./exchange_events.ts";

/** What whoever asked holds. Its events are for one reader. */
export interface Exchange extends AsyncIterable<ExchangeEvent, void, void> {
  /** The message's id, in the journal as well. */
  readonly id: string;
  /** The last event; never rejects. */
  readonly end: Promise<ExchangeEnd>;
  /**
   * Stops the work on it, and nothing else of its conversation; the end follows. Nothing happens
   * after the end.
   */
  stop(): void;
}

/** Gathers what comes of one message. */
export class LiveExchange implements Exchange {
  readonly id: string;
  readonly sessionKey: string;
  readonly senderId: string;
  readonly #queue = new EventQueue();
  readonly #end = Promise.withResolvers<ExchangeEnd>();
  readonly #onStop: (exchange: LiveExchange) => void;
  /** Text of earlier model calls, and of the current one. */
  #before = "";
  #text = "";
  #usage: ExchangeUsage = NOTHING_USED;
  #finishReason: FinishReason = "stop";
  #hasEnded = false;

  constructor(
    { id, sessionKey, senderId }: Pick<LiveExchange, "id" | "sessionKey" | "senderId">,
    onStop: (exchange: LiveExchange) => void,
  ) {
    this.id = id;
    this.sessionKey = sessionKey;
    this.senderId = senderId;
    this.#onStop = onStop;
  }

  get end(): Promise<ExchangeEnd> {
    return this.#end.promise;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  [Symbol.asyncIterator](): AsyncGenerator<ExchangeEvent, void, void> {
    return this.#queue.read();
  }

  stop(): void {
    if (!this.#hasEnded) this.#onStop(this);
  }

  /** The journal has it. */
  accepted(): void {
    this.#queue.push({ type: "accepted" });
  }

  /** Something happened in its turn. */
  hear(event: TurnEvent): void {
    switch (event.type) {
      case "answer_began":
        return this.#queue.push({ type: "started" });
      case "call_began":
        return this.#callBegan();
      case "text_grew":
        return this.#textGrew(event.text);
      case "text_voided":
        return this.#textVoided();
      case "reasoning_grew":
        return this.#queue.push({ type: "reasoning_delta", text: event.text });
      case "tokens_used":
        return this.#used(event);
      case "call_answered":
        this.#finishReason = event.finishReason;
        return;
      case "tool_called":
      case "tool_ended":
        return this.#queue.push(event);
      default:
        return unreachable(event);
    }
  }

  /** Something is sent that does not settle it. */
  said({ text, media }: Pick<Delivery, "text" | "media">): void {
    const isBlank = text.trim() === "" && media.length === 0;
    if (!isBlank) this.#queue.push({ type: "message", text, media });
  }

  /** How it ends by a delivery that settles it. */
  endWith(
    outcome: Settled["outcome"],
    { text, media }: Pick<Delivery, "text" | "media">,
  ): ExchangeEnd {
    if (outcome === "done") return this.#finished(text, media);
    return this.#failed(outcome === "failed" ? "turn_failed" : "stopped", text);
  }

  /** It is over; what comes after that is nobody's business. */
  settle(end: ExchangeEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#queue.push(end);
    this.#end.resolve(end);
  }

  /** It ends without an answer. */
  fail(reason: ExchangeFailure, text: string): void {
    this.settle(this.#failed(reason, text));
  }

  #finished(text: string, media: readonly string[]): ExchangeEnd {
    const reason = this.#finishReason;
    const isCut = reason === "length" || reason === "content_filter";
    const usage = this.#usage;
    return { type: "finished", text, media, finishReason: isCut ? reason : "stop", usage };
  }

  #failed(reason: ExchangeFailure, text: string): ExchangeEnd {
    return { type: "failed", reason, text, usage: this.#usage };
  }

  #callBegan(): void {
    this.#before += this.#text;
    this.#text = "";
  }

  #textGrew(text: string): void {
    const isNewParagraph = this.#text === "" && this.#before !== "";
    const growth = isNewParagraph ? `\n\n${text}` : text;
    this.#text += growth;
    this.#queue.push({ type: "text_delta", text: growth });
  }

  #textVoided(): void {
    if (this.#text === "") return;
    this.#text = "";
    this.#queue.push({ type: "text_reset", text: this.#before });
  }

  #used({ usage, isEstimated }: Extract<TurnEvent, { readonly type: "tokens_used" }>): void {
    const sum = this.#usage;
    this.#usage = {
      promptTokens: sum.promptTokens + usage.promptTokens,
      completionTokens: sum.completionTokens + usage.completionTokens,
      totalTokens: sum.totalTokens + usage.promptTokens + usage.completionTokens,
      cachedTokens: sum.cachedTokens + (usage.cachedTokens ?? 0),
      reasoningTokens: sum.reasoningTokens + (usage.reasoningTokens ?? 0),
      isEstimated: sum.isEstimated || isEstimated,
    };
    this.#queue.push({ type: "usage", usage: this.#usage });
  }
}
