/**
 * Puts messages where they belong, at a pace that the platform takes.
 * @module
 */

import type { FeishuApi, MessageBody } from "../api.ts";
import {
  deliveryErrorOf,
  FeishuRefusedError,
  hasCode,
  MESSAGE_GONE_CODES,
  NO_TOPIC_CODES,
} from "../errors.ts";
import type { SendPace } from "./pace.ts";
import type { Target } from "./target.ts";
import { stableUuid } from "./uuid.ts";

/** A message with its key; `index` is 0 for the first one of a delivery. */
export type Outgoing = MessageBody & { readonly uuid: string; readonly index: number };

/** The platform's limit for one chat, all senders together. */
const CHAT_RATE_CODE = 230020;
const APP_RATE_CODE = 99991400;

/** Sends for one channel. */
export class Sender {
  readonly api: FeishuApi;
  readonly #pace: SendPace;

  constructor(api: FeishuApi, pace: SendPace) {
    this.api = api;
    this.#pace = pace;
  }

  /**
   * Sends one message to its place. An answer whose message is gone goes to the chat instead.
   *
   * @returns the message's id
   * @throws what {@link FeishuApi} throws
   */
  async send(target: Target, message: Outgoing, signal: AbortSignal): Promise<string> {
    const { msgType, content, uuid, index } = message;
    const { chatId, replyToId, isInTopic } = target;
    const body = { msgType, content, uuid };
    if (replyToId === "" || (index > 0 && !isInTopic)) {
      return await this.#create(chatId, body, signal);
    }
    const reply = { ...body, isInTopic };
    try {
      return await this.#reply(target, reply, signal);
    } catch (error) {
      if (isInTopic && hasCode(error, NO_TOPIC_CODES)) {
        const outside = { ...body, uuid: stableUuid(uuid, "outside"), isInTopic: false };
        return await this.#reply(target, outside, signal);
      }
      if (!hasCode(error, MESSAGE_GONE_CODES)) throw error;
      return await this.#create(chatId, { ...body, uuid: stableUuid(uuid, "create") }, signal);
    }
  }

  /** Makes or changes a card. @throws what `operation` throws */
  async card<Result>(
    operation: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    await this.#pace.card(signal);
    return await this.#heeding(null, operation);
  }

  async #create(
    chatId: string,
    body: Parameters<FeishuApi["createMessage"]>[1],
    signal: AbortSignal,
  ): Promise<string> {
    await this.#pace.message(chatId, signal);
    return await this.#heeding(chatId, () => this.api.createMessage(chatId, body, signal));
  }

  async #reply(
    { chatId, replyToId }: Target,
    body: Parameters<FeishuApi["replyMessage"]>[1],
    signal: AbortSignal,
  ): Promise<string> {
    await this.#pace.message(chatId, signal);
    return await this.#heeding(chatId, () => this.api.replyMessage(replyToId, body, signal));
  }

  /** What the platform says about the rate counts for all that is sent later. */
  async #heeding<Result>(
    chatId: string | null,
    operation: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await operation();
    } catch (error) {
      const delayMs = deliveryErrorOf(error).retryAfterMs;
      if (error instanceof FeishuRefusedError && delayMs !== undefined) {
        const { platformCode, status } = error;
        if (platformCode === CHAT_RATE_CODE && chatId !== null) {
          this.#pace.holdChat(chatId, delayMs);
        } else if (platformCode === APP_RATE_CODE || status === 429) this.#pace.holdApp(delayMs);
      }
      throw error;
    }
  }
}
