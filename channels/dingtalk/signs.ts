/**
 * Signs that a message is worked on: reactions on it, DingTalk's robots cannot be seen typing. They
 * are a courtesy: their failures stop nothing.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import type { JsonValue } from "../../actors/kernel/json.ts";
import type { ChannelContext, ChannelInbound, Settled } from "../channel.ts";
import { KeyedTurns } from "../keyed_turns.ts";
import type { DingTalkApi, ReactionTarget } from "./api.ts";
import type { SendPace } from "./send/pace.ts";

const logger = getLogger(["troupe", "dingtalk", "signs"]);

/** What signs need. */
export interface SignsOptions {
  readonly api: Pick<DingTalkApi, "react" | "takeBack">;
  readonly pace: Pick<SendPace, "call">;
  readonly rememberInbound: ChannelContext["rememberInbound"];
  /** On receipt; null for none. */
  readonly reactEmoji: string | null;
  /** Instead of it while the message waits for its turn; null leaves it as it is. */
  readonly queuedEmoji: string | null;
  /** When the answer is done; null for none. */
  readonly doneEmoji: string | null;
  readonly signal: AbortSignal;
}

/** Messages in work; those beyond show no signs. */
const MESSAGES_MAX = 1_000;

/** What a message shows. */
interface Shown extends ReactionTarget {
  words: string | null;
}

const storedSchema = z.object({
  conversationId: z.string(),
  messageId: z.string(),
  words: z.string(),
});

/** All signs of one robot. */
export class Signs {
  readonly #options: SignsOptions;
  readonly #inWork = new Map<string, Shown>();
  /** Changes at one message keep their order. */
  readonly #turns = new KeyedTurns();

  constructor(options: SignsOptions) {
    this.#options = options;
  }

  /** A message was accepted; returns at once. */
  accepted({ platformId, context }: ChannelInbound): void {
    const { conversation_id: conversationId, message_id: messageId } = context;
    if (typeof conversationId !== "string" || conversationId === "") return;
    if (typeof messageId !== "string" || messageId === "") return;
    if (this.#inWork.size >= MESSAGES_MAX) return;
    this.#inWork.set(platformId, { conversationId, messageId, words: null });
    void this.#change(platformId, this.#options.reactEmoji);
  }

  /** A message waits for its turn; returns at once. */
  waits(platformId: string): void {
    const { queuedEmoji } = this.#options;
    if (queuedEmoji !== null) void this.#change(platformId, queuedEmoji);
  }

  /** A message that waited is worked on; returns at once. */
  begins(platformId: string): void {
    const { queuedEmoji, reactEmoji } = this.#options;
    if (queuedEmoji !== null) void this.#change(platformId, reactEmoji);
  }

  /** Messages have ended, also those that an earlier life of the channel accepted; never rejects. */
  async settle(settles: readonly Settled[]): Promise<void> {
    await Promise.all(settles.map(async ({ platformId, outcome, channelState }) => {
      if (!this.#inWork.has(platformId)) this.#takeUp(platformId, channelState);
      await this.#change(platformId, outcome === "done" ? this.#options.doneEmoji : null, true);
      this.#inWork.delete(platformId);
    }));
  }

  #takeUp(platformId: string, stored: JsonValue): void {
    const shown = storedSchema.safeParse(stored).data;
    if (shown !== undefined) this.#inWork.set(platformId, shown);
  }

  #change(platformId: string, words: string | null, isLast = false): Promise<void> {
    const message = this.#inWork.get(platformId);
    if (message === undefined) return Promise.resolve();
    return this.#turns.run(platformId, async () => {
      const { signal } = this.#options;
      try {
        if (message.words === words) return;
        await this.#show(message, words);
        if (words !== null && !isLast) await this.#remember(platformId, { ...message, words });
      } catch (error) {
        if (signal.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        logger.debug("No reaction: {reason}", { reason });
      }
    });
  }

  async #show(message: Shown, words: string | null): Promise<void> {
    const { api, pace, signal } = this.#options;
    const before = message.words;
    if (before !== null) {
      message.words = null;
      await pace.call("reaction", signal, () => api.takeBack(message, before, signal));
    }
    if (words === null) return;
    await pace.call("reaction", signal, () => api.react(message, words, signal));
    message.words = words;
  }

  async #remember(
    platformId: string,
    { conversationId, messageId, words }: Shown & { readonly words: string },
  ): Promise<void> {
    await this.#options.rememberInbound(platformId, { conversationId, messageId, words });
  }
}
