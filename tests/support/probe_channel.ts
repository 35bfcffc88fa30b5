/**
 * A channel whose platform is the test.
 * @module
 */

import type {
  Channel,
  ChannelContext,
  Delivery,
  DeliveryReceipt,
  HandInResult,
  LookUp,
} from "../../channels/channel.ts";

/** What its platform does. */
export interface ProbeBehaviour {
  /** What becomes of a delivery; what it throws is the failure. @default it arrives */
  readonly onDeliver?: (delivery: Delivery) => void | Promise<void>;
  /** What a look at the platform tells. @default "cannot_tell" */
  readonly found?: LookUp;
}

/** Messages of all channels, so that no two have one id. */
let said = 0;

/** A channel of the test: says what it is told to, remembers what comes back. */
export class ProbeChannel implements Channel {
  readonly isStreaming = false;
  readonly delivered: Delivery[] = [];
  readonly lookedUp: Delivery[] = [];
  readonly #behaviour: ProbeBehaviour;
  readonly #context: ChannelContext;

  constructor(context: ChannelContext, behaviour: ProbeBehaviour = {}) {
    this.#context = context;
    this.#behaviour = behaviour;
  }

  async run(): Promise<void> {
    this.#context.report({ state: "ready", detail: "probe" });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#context.signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
  }

  async deliver(delivery: Delivery): Promise<DeliveryReceipt> {
    this.delivered.push(delivery);
    await this.#behaviour.onDeliver?.(delivery);
    return { messageIds: [delivery.key] };
  }

  lookUp(delivery: Delivery): Promise<LookUp> {
    this.lookedUp.push(delivery);
    return Promise.resolve(this.#behaviour.found ?? "cannot_tell");
  }

  /**
   * Hands in a message of `chatId`; resolves with what the gateway did with it.
   *
   * @param sessionKey of a thread @default the channel leaves it to the gateway
   */
  say(chatId: string, content: string, sessionKey?: string): Promise<HandInResult> {
    return this.#context.handIn({
      ...(sessionKey !== undefined && { sessionKey }),
      platformId: `probe-${said++}`,
      chatId,
      senderId: chatId,
      content,
      media: [],
      context: {},
    });
  }

  /** Final texts that came back to a chat. */
  textsOf(chatId: string): string[] {
    return this.delivered.filter((delivery) => delivery.chatId === chatId)
      .map(({ text }) => text);
  }
}
