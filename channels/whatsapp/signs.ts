/**
 * Signs that a message is worked on: shown as read, a reaction on it, and "typing" in its chat. They
 * are a courtesy: their failures stop nothing.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { type Clock, sleep } from "../../actors/kernel/clock.ts";
import { isObject, type JsonValue } from "../../actors/kernel/json.ts";
import { Background } from "../background.ts";
import type { ChannelContext, ChannelInbound, Settled } from "../channel.ts";
import { KeyedTurns } from "../keyed_turns.ts";
import type { MessageRef, WhatsAppLink } from "./link.ts";
import { messageIn } from "./receive/message.ts";

const logger = getLogger(["troupe", "whatsapp", "signs"]);

/** What signs need. */
export interface SignsOptions {
  readonly link: Pick<WhatsAppLink, "react" | "showPresence" | "markRead">;
  /** On receipt; null for none. */
  readonly reactEmoji: string | null;
  /** Instead of it while the message waits for its turn; null leaves it as it is. */
  readonly queuedEmoji: string | null;
  /** When the answer is done; null for none. */
  readonly doneEmoji: string | null;
  readonly markRead: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly rememberInbound: ChannelContext["rememberInbound"];
}

/** WhatsApp shows "typing" for about ten seconds. */
const TYPING_MS = 8_000;
/** A turn that takes longer is not announced any more. */
const TYPING_MAX_MS = 30 * 60_000;
/** Messages in work; those beyond show no signs. */
const MESSAGES_MAX = 1_000;

/** A message in work. */
interface InWork {
  readonly chatId: string;
  readonly message: MessageRef;
  typing: AbortController | null;
}

/** All signs of one device. */
export class Signs implements AsyncDisposable {
  readonly #options: SignsOptions;
  readonly #inWork = new Map<string, InWork>();
  /** Changes of one message's reaction keep their order. */
  readonly #turns = new KeyedTurns();
  readonly #background: Background;

  constructor(options: SignsOptions) {
    this.#options = options;
    this.#background = new Background(logger, options.signal);
  }

  /** A message was accepted; returns at once. */
  accepted({ platformId, chatId, context }: ChannelInbound): void {
    const message = messageIn(context);
    if (message === null || this.#inWork.size >= MESSAGES_MAX) return;
    const { markRead, link, reactEmoji, rememberInbound } = this.#options;
    this.#inWork.set(platformId, { chatId, message, typing: null });
    if (markRead) this.#try(() => link.markRead(message));
    this.#type(platformId);
    if (reactEmoji === null) return;
    const { id, chatJid, participantJid = null } = message;
    this.#try(() =>
      rememberInbound(platformId, { id, chat_jid: chatJid, participant: participantJid })
    );
    this.#try(() => this.#react(platformId, message, reactEmoji));
  }

  /** A message waits for its turn; returns at once. */
  waits(platformId: string): void {
    const known = this.#inWork.get(platformId);
    if (known === undefined) return;
    this.#stopTyping(known);
    const { queuedEmoji } = this.#options;
    if (queuedEmoji !== null) this.#try(() => this.#react(platformId, known.message, queuedEmoji));
  }

  /** A message that waited is worked on; returns at once. */
  begins(platformId: string): void {
    const known = this.#inWork.get(platformId);
    if (known === undefined) return;
    this.#type(platformId);
    const { queuedEmoji, reactEmoji } = this.#options;
    if (queuedEmoji !== null) this.#try(() => this.#react(platformId, known.message, reactEmoji));
  }

  /** Messages have ended, also those that an earlier life of the channel accepted; never rejects. */
  settle(settles: readonly Settled[]): void {
    for (const { platformId, outcome, channelState } of settles) {
      const known = this.#inWork.get(platformId);
      this.#inWork.delete(platformId);
      if (known !== undefined) this.#stopTyping(known);
      const message = known?.message ?? readMessage(channelState);
      const { reactEmoji, queuedEmoji, doneEmoji } = this.#options;
      const last = outcome === "done" ? doneEmoji : null;
      const isBare = last === null && reactEmoji === null && queuedEmoji === null;
      if (message !== null && !isBare) this.#try(() => this.#react(platformId, message, last));
    }
  }

  /** Waits for what is under way; the signal has ended it. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const known of this.#inWork.values()) known.typing?.abort();
    await this.#background[Symbol.asyncDispose]();
  }

  #type(platformId: string): void {
    const known = this.#inWork.get(platformId);
    if (known === undefined || known.typing !== null) return;
    const typing = new AbortController();
    known.typing = typing;
    const { clock, signal, link } = this.#options;
    const ending = AbortSignal.any([signal, typing.signal]);
    this.#try(async () => {
      const endMs = clock.now() + TYPING_MAX_MS;
      while (clock.now() < endMs && !ending.aborted) {
        await link.showPresence(known.chatId, "composing");
        await sleep(clock, TYPING_MS, ending).catch(() => {}); // the loop sees it
      }
    });
  }

  /** The chat of somebody who waits for another answer goes on typing. */
  #stopTyping(known: InWork): void {
    if (known.typing === null) return;
    known.typing.abort();
    known.typing = null;
    const isOthers = [...this.#inWork.values()]
      .some(({ chatId, typing }) => chatId === known.chatId && typing !== null);
    if (!isOthers) this.#try(() => this.#options.link.showPresence(known.chatId, "paused"));
  }

  #react(platformId: string, message: MessageRef, emoji: string | null): Promise<void> {
    const { link, signal } = this.#options;
    return this.#turns.run(platformId, () => link.react(message, emoji, signal));
  }

  #try(work: () => Promise<void>): void {
    this.#background.run("show a sign", () =>
      work().catch((error) => {
        const reason = error instanceof Error ? error.message : String(error);
        logger.debug("No sign is shown: {reason}", { reason });
      }));
  }
}

/** The message behind what was remembered for an inbound. */
function readMessage(state: JsonValue): MessageRef | null {
  if (!isObject(state)) return null;
  const { id, chat_jid: chatJid, participant } = state;
  if (typeof id !== "string" || typeof chatJid !== "string") return null;
  return { id, chatJid, ...(typeof participant === "string" && { participantJid: participant }) };
}
