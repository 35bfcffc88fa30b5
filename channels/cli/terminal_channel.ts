/**
 * The terminal as a channel: one person, who types here and reads here.
 * @module
 */

import type {
  Channel,
  ChannelContext,
  Delivery,
  DeliveryReceipt,
  HandInResult,
  Settled,
} from "../channel.ts";
import { LiveText } from "./live_text.ts";

/** Name of the channel and first part of its session keys. */
export const TERMINAL_CHANNEL = "cli";
/** The one chat it has. */
export const TERMINAL_CHAT = "direct";

/** What the channel does with what it gets. */
export interface TerminalView {
  readonly write: (text: string) => void;
  /** Answers are shown while they grow. */
  readonly isLive: boolean;
  /** A message of the person came to its end. */
  readonly onSettled: (settled: Settled) => void;
  /** Something was written: an input line may have to be drawn again. */
  readonly onShown?: () => void;
}

/** Hands in what is typed and shows what comes back. */
export class TerminalChannel implements Channel {
  readonly isStreaming: boolean;
  readonly #context: ChannelContext;
  readonly #view: TerminalView;
  /** What stands on the screen of each growing answer. */
  readonly #live = new Map<string, LiveText>();

  constructor(context: ChannelContext, view: TerminalView) {
    this.#context = context;
    this.#view = view;
    this.isStreaming = view.isLive;
  }

  /** There is nothing to connect to: ready at once, until it is stopped. */
  async run(): Promise<void> {
    const { signal } = this.#context;
    this.#context.report({ state: "ready", detail: "this terminal" });
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (!signal.aborted) await promise;
  }

  /** Hands in one message of the person at the terminal. */
  say(platformId: string, content: string, sessionKey: string): Promise<HandInResult> {
    return this.#context.handIn({
      platformId,
      chatId: TERMINAL_CHAT,
      senderId: "user",
      content,
      media: [],
      context: {},
      sessionKey,
    });
  }

  deliver(delivery: Delivery): Promise<DeliveryReceipt> {
    this.#show(delivery);
    this.#view.onShown?.();
    for (const settled of delivery.settles) this.#view.onSettled(settled);
    return Promise.resolve({ messageIds: [] });
  }

  #show({ key, phase, text, media }: Delivery): void {
    const live = this.#live.get(key) ?? new LiveText(this.#view.write);
    for (const path of media) this.#view.write(`[file] ${path}\n`);
    live.show(text);
    if (phase === "growing") {
      this.#live.set(key, live);
      return;
    }
    live.end();
    this.#live.delete(key);
  }
}
