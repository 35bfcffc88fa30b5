/**
 * Signs that a message is worked on: a reaction on it, and "typing" in its chat. They are a courtesy:
 * their failures stop nothing.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import type { ChannelInbound, Settled } from "../channel.ts";
import { isBadRequest } from "./errors.ts";
import type { Place, SentMessage, TelegramLink } from "./link.ts";
import { messageOf } from "./receive/message.ts";
import type { BotName } from "./receive/addressing.ts";

const logger = getLogger(["troupe", "telegram", "signs"]);

/** What signs need. */
export interface SignsOptions {
  readonly link: Pick<TelegramLink, "react" | "showTyping">;
  /** On receipt; null for none. */
  readonly reactEmoji: string | null;
  /** Instead of it while the message waits for its turn; null leaves it as it is. */
  readonly queuedEmoji: string | null;
  /** When the answer is done; null for none. */
  readonly doneEmoji: string | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Telegram shows "typing" for five seconds. */
const TYPING_MS = 4_000;
/** A turn that takes longer is not announced any more. */
const TYPING_MAX_MS = 30 * 60_000;
/** Messages in work; those beyond show no signs. */
const MESSAGES_MAX = 1_000;

/** A message in work. */
interface InWork {
  readonly place: Place;
  typing: AbortController | null;
}

/** All signs of one bot. */
export class Signs {
  readonly #options: SignsOptions;
  readonly #bot: BotName;
  readonly #inWork = new Map<string, InWork>();
  /** The last change of each message's reaction, so that they keep their order. */
  readonly #changes = new Map<string, Promise<void>>();
  readonly #unknownEmoji = new Set<string>();

  constructor(bot: BotName, options: SignsOptions) {
    this.#bot = bot;
    this.#options = options;
  }

  /** A message was accepted; returns at once. */
  accepted({ platformId, chatId, context }: ChannelInbound): void {
    if (this.#inWork.size >= MESSAGES_MAX) return;
    const threadId = context["message_thread_id"];
    const place = { chatId, ...(typeof threadId === "number" && { threadId }) };
    this.#inWork.set(platformId, { place, typing: null });
    this.#type(platformId);
    if (this.#options.reactEmoji !== null) this.#react(platformId, this.#options.reactEmoji);
  }

  /** A message waits for its turn; returns at once. */
  waits(platformId: string): void {
    const message = this.#inWork.get(platformId);
    if (message === undefined) return;
    stopTyping(message);
    if (this.#options.queuedEmoji !== null) this.#react(platformId, this.#options.queuedEmoji);
  }

  /** A message that waited is worked on; returns at once. */
  begins(platformId: string): void {
    if (!this.#inWork.has(platformId)) return;
    this.#type(platformId);
    const { queuedEmoji, reactEmoji } = this.#options;
    if (queuedEmoji !== null) this.#react(platformId, reactEmoji);
  }

  /** Messages have ended, also those that an earlier life of the channel accepted; never rejects. */
  async settle(settles: readonly Settled[]): Promise<void> {
    await Promise.all(settles.map(({ platformId, outcome }) => this.#settle(platformId, outcome)));
  }

  async #settle(platformId: string, outcome: Settled["outcome"]): Promise<void> {
    const message = this.#inWork.get(platformId);
    this.#inWork.delete(platformId);
    if (message !== undefined) stopTyping(message);
    const { reactEmoji, queuedEmoji, doneEmoji } = this.#options;
    const last = outcome === "done" ? doneEmoji : null;
    if (last === null && reactEmoji === null && queuedEmoji === null) return;
    await this.#react(platformId, last);
  }

  #type(platformId: string): void {
    const message = this.#inWork.get(platformId);
    if (message === undefined) return;
    stopTyping(message);
    const typing = new AbortController();
    message.typing = typing;
    const { clock, signal, link } = this.#options;
    const stop = (): void => typing.abort();
    signal.addEventListener("abort", stop, { once: true });
    const work = async (): Promise<void> => {
      const endMs = clock.now() + TYPING_MAX_MS;
      while (clock.now() < endMs && !typing.signal.aborted) {
        await link.showTyping(message.place, typing.signal);
        await sleep(clock, TYPING_MS, typing.signal);
      }
    };
    work().catch((error) => {
      if (!typing.signal.aborted) logger.debug("No typing is shown: {error}", { error });
    }).finally(() => signal.removeEventListener("abort", stop));
  }

  #react(platformId: string, emoji: string | null): Promise<void> {
    const target = messageOf(platformId, this.#bot);
    if (target === null || (emoji !== null && this.#unknownEmoji.has(emoji))) {
      return Promise.resolve();
    }
    const before = this.#changes.get(platformId) ?? Promise.resolve();
    const changing = before.then(() => this.#change(target, emoji)).finally(() => {
      if (this.#changes.get(platformId) === changing) this.#changes.delete(platformId);
    });
    this.#changes.set(platformId, changing);
    return changing;
  }

  /** Never rejects. */
  async #change(target: SentMessage, emoji: string | null): Promise<void> {
    const { link, signal } = this.#options;
    try {
      await link.react(target, emoji, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (emoji !== null && isBadRequest(error, /REACTION_INVALID/i)) {
        this.#unknownEmoji.add(emoji);
        logger.warn("Telegram offers no reaction {emoji}; it is left out", { emoji });
        return;
      }
      const reason = error instanceof Error ? error.message : String(error);
      logger.debug("No reaction: {reason}", { reason });
    }
  }
}

function stopTyping(message: InWork): void {
  message.typing?.abort();
  message.typing = null;
}
