/**
 * The channel of a simulated platform, hosted like any other.
 * @module
 */

import { z } from "zod";
import type {
  Channel,
  ChannelContext,
  Delivery,
  DeliveryReceipt,
  LookUp,
} from "../../channels/channel.ts";
import { sleep } from "../../actors/kernel/clock.ts";
import type { JsonValue } from "../../actors/kernel/json.ts";
import type { Chance } from "./chance.ts";
import type { Faults } from "./faults.ts";
import type { Link, PersonMessage, ShowRequest, SimulatedPlatform } from "./platform.ts";

/** Versions of a growing message whose numbers are made durable at once. */
const SEQUENCE_BLOCK = 20;

const STATE = z.object({ sequenceMax: z.number() }).nullable();

/** What is left of the numbers that were made durable. */
interface Numbers {
  next: number;
  readonly max: number;
}

/** What a simulated channel takes from its world. */
export interface SimulatedChannelOptions {
  readonly platform: SimulatedPlatform;
  readonly context: ChannelContext;
  readonly chance: Chance;
  readonly faults: Faults;
}

/** Talks to a {@link SimulatedPlatform}. */
export class SimulatedChannel implements Channel {
  readonly isStreaming: boolean;
  readonly #options: SimulatedChannelOptions;
  readonly #numbers = new Map<string, Numbers>();
  /** Keys of deliveries that have not ended. */
  readonly #underWay = new Set<string>();

  constructor(options: SimulatedChannelOptions) {
    this.#options = options;
    this.isStreaming = options.platform.plan.isStreaming;
  }

  async run(): Promise<void> {
    const { context, chance } = this.#options;
    const { signal, clock } = context;
    while (!signal.aborted) {
      context.report({ state: "connecting", detail: "connects" });
      await sleepOrAbort(clock, chance.between(5, 300), signal);
      if (signal.aborted) return;
      await this.#stayConnected();
      if (signal.aborted) return;
      context.report({ state: "reconnecting", detail: "connects again" });
      await sleepOrAbort(clock, chance.between(100, 3_000), signal);
    }
  }

  async deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    const { key } = delivery;
    if (this.#underWay.has(key)) {
      this.#options.platform.breaches.push(`${key} is delivered twice at once`);
    }
    this.#underWay.add(key);
    try {
      return await this.#show(delivery, signal);
    } finally {
      this.#underWay.delete(key);
    }
  }

  async #show(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    const { platform, context: { clock } } = this.#options;
    const { key, phase, channelState } = delivery;
    const hasGrown = phase === "growing" || channelState !== null;
    const sequence = hasGrown ? await this.#nextSequence(key, channelState) : 0;
    signal.throwIfAborted();
    return await platform.show(requestOf(delivery, sequence), clock, signal);
  }

  async lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    const { platform, context: { clock } } = this.#options;
    if (!platform.plan.canLookUp) return "cannot_tell";
    return await platform.lookUp(requestOf(delivery, 0), clock, signal);
  }

  async #stayConnected(): Promise<void> {
    const { platform, context } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const link = platform.connect({
      receive: (message, acknowledge) =>
        void this.#receive(message, acknowledge).catch((error) => reject(error)),
      takenBack: (platformId) => void context.withdraw(platformId).catch(() => {}),
      lost: resolve,
    });
    if (link === undefined) return;
    context.report({ state: "ready", detail: "is connected" });
    void this.#completeDrafts().catch(() => resolve()); // connects again, and so tries again
    context.signal.addEventListener("abort", () => resolve(), { once: true });
    await this.#untilLost(link, promise);
  }

  async #untilLost(link: Link, lost: Promise<void>): Promise<void> {
    try {
      await lost;
    } finally {
      link.close();
    }
  }

  async #receive(message: PersonMessage, acknowledge: () => void): Promise<void> {
    const { context, chance, faults } = this.#options;
    const { platformId, isDraft, text, media } = message;
    if (faults.happens(0.01)) throw new Error("Cannot go on: the channel broke");
    const result = await context.handIn({
      platformId,
      chatId: message.chatId,
      senderId: message.senderId,
      content: isDraft ? "" : text,
      media: isDraft ? [] : media,
      context: { repliesTo: platformId },
      ...(isDraft && { draft: { platformId } }),
    });
    if (result === "refused") return;
    await sleep(context.clock, chance.between(0, 100), context.signal).catch(() => {});
    acknowledge();
    if (isDraft) await this.#complete(platformId);
    if (!chance.happens(0.5)) return;
    await context.rememberInbound(platformId, { reaction: platformId }).catch(() => {});
  }

  /** Those that an earlier life left, and those that could not be completed. */
  async #completeDrafts(): Promise<void> {
    const drafts = await this.#options.context.drafts();
    await Promise.all(drafts.map(({ platformId }) => this.#complete(platformId)));
  }

  /** Again and again until it is durable; harmless when it was complete before. */
  async #complete(platformId: string): Promise<void> {
    const { platform, context, chance } = this.#options;
    const message = platform.messageOf(platformId);
    if (message === undefined) throw new RangeError(`Cannot load "${platformId}": never written`);
    const contents = { content: message.text, media: message.media };
    for (let isComplete = false; !isComplete;) {
      await sleepOrAbort(context.clock, chance.between(10, 4_000), context.signal);
      if (context.signal.aborted) return;
      isComplete = await context.complete(platformId, contents).then(() => true, () => false);
    }
  }

  /** Above all numbers that an earlier life of the channel may have used. */
  async #nextSequence(key: string, channelState: JsonValue): Promise<number> {
    let numbers = this.#numbers.get(key);
    if (numbers === undefined || numbers.next > numbers.max) {
      const used = numbers?.max ?? STATE.parse(channelState)?.sequenceMax ?? 0;
      numbers = { next: used + 1, max: used + SEQUENCE_BLOCK };
      await this.#options.context.remember(key, { sequenceMax: numbers.max });
      this.#numbers.set(key, numbers);
    }
    return numbers.next++;
  }
}

function requestOf(delivery: Delivery, sequence: number): ShowRequest {
  const { key, chatId, phase, text, settles, notice } = delivery;
  const isFinal = phase === "final";
  const hasNotice = notice !== undefined && text.trim() !== "";
  const whole = hasNotice ? `${notice}\n\n${text}` : text;
  return { key, chatId, text: whole, hasNotice, isFinal, sequence, settles };
}

/** Ends early, without an error, when the signal aborts. */
async function sleepOrAbort(
  clock: ChannelContext["clock"],
  delayMs: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    await sleep(clock, delayMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
