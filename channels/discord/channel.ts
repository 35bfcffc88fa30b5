/**
 * The Discord channel: one bot, one gateway connection, everything it shows.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { sleep } from "../../actors/kernel/clock.ts";
import { LinkedSignal } from "../../actors/kernel/linked_signal.ts";
import type {
  Channel,
  ChannelContext,
  Delivery,
  DeliveryReceipt,
  LookUp,
  Settled,
} from "../channel.ts";
import { networkWait } from "../network_wait.ts";
import { DiscordApi } from "./api.ts";
import {
  deliveryErrorOf,
  DiscordCredentialsError,
  DiscordUnreachableError,
  isUnauthorized,
  WRONG_TOKEN,
} from "./errors.ts";
import { keepConnection } from "./gateway/connection.ts";
import { Progress } from "./gateway/progress.ts";
import type { DiscordLink } from "./link.ts";
import { type DiscordSection, manifest } from "./manifest.ts";
import { Receiving } from "./receive/receiving.ts";
import { Deliveries } from "./send/deliveries.ts";
import { DirectChannels } from "./send/outlet.ts";
import { Signs } from "./signs.ts";
import type { User } from "./wire.ts";

const logger = getLogger(["troupe", "discord", "channel"]);

/** One bot's connection to Discord. */
export class DiscordChannel implements Channel {
  readonly isStreaming: boolean;
  readonly #section: DiscordSection;
  readonly #context: ChannelContext;
  readonly #link: DiscordLink;
  readonly #api: DiscordApi;
  readonly #signs: Signs;
  readonly #deliveries: Deliveries;
  #receiving: Receiving | null = null;
  #botId: string | null = null;

  constructor(section: DiscordSection, context: ChannelContext, link: DiscordLink) {
    const { clock, signal } = context;
    this.isStreaming = section.streaming;
    this.#section = section;
    this.#context = context;
    this.#link = link;
    this.#api = new DiscordApi(link, clock);
    this.#signs = new Signs({
      ...section,
      api: this.#api,
      rememberInbound: (platformId, state) => context.rememberInbound(platformId, state),
      clock,
      signal,
    });
    this.#deliveries = new Deliveries({
      ...section,
      api: this.#api,
      direct: new DirectChannels(this.#api),
      clock,
      remember: (key, state) => context.remember(key, state),
      workspaceFolder: context.workspaceFolder,
    });
  }

  async run(): Promise<void> {
    const { report, signal } = this.#context;
    report({ state: "connecting", detail: "Connecting" });
    try {
      await this.#runUntilStopped(signal);
    } catch (error) {
      if (!signal.aborted) {
        const detail = error instanceof Error ? error.message : String(error);
        report({ state: "failed", detail });
        throw error;
      }
    }
    report({ state: "stopped", detail: "Stopped" });
  }

  async deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    using linked = new LinkedSignal(signal, this.#context.signal);
    const either = linked.signal;
    try {
      if (delivery.phase === "growing") {
        const messageIds = this.isStreaming ? await this.#deliveries.grow(delivery, either) : [];
        return { messageIds };
      }
      const messageIds = await this.#deliveries.finish(delivery, either);
      this.#receiving?.noteOwnAnswer(delivery, messageIds);
      await this.#signs.settle(delivery.settles, either);
      return { messageIds };
    } catch (error) {
      const failure = deliveryErrorOf(error);
      if (failure.code === "delivery_permanent") await this.#settleFailed(delivery, either);
      throw failure;
    }
  }

  async lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    using linked = new LinkedSignal(signal, this.#context.signal);
    const either = linked.signal;
    try {
      const botId = this.#botId;
      if (botId === null) throw new DiscordUnreachableError("look up", "not connected yet");
      const found = await this.#deliveries.lookUp(delivery, botId, either);
      if (found === "arrived") await this.#signs.settle(delivery.settles, either);
      return found;
    } catch (error) {
      throw deliveryErrorOf(error);
    }
  }

  noteWaiting(platformId: string, isWaiting: boolean): void {
    if (isWaiting) this.#signs.waits(platformId);
    else this.#signs.begins(platformId);
  }

  async #runUntilStopped(signal: AbortSignal): Promise<void> {
    const [missing] = manifest.missing(this.#section);
    if (missing !== undefined) throw new DiscordCredentialsError(missing);
    const context = this.#context;
    const { id: botId } = await this.#findBot(signal);
    this.#botId = botId;
    const progress = new Progress(await context.readCursor());
    await using receiving = new Receiving({
      section: this.#section,
      context,
      link: this.#link,
      api: this.#api,
      botId,
      progress,
      signs: this.#signs,
    });
    this.#receiving = receiving;
    receiving.resume();
    await keepConnection({
      ...this.#section,
      link: this.#link,
      api: this.#api,
      clock: context.clock,
      random: context.random,
      progress,
      report: (state) => context.report(state),
      onConnect: () => receiving.beginAnew(),
      onSession: (ready) => receiving.onSession(ready),
      onEvent: (type, data) => receiving.onEvent(type, data),
    }, signal);
  }

  /** Who the bot is, asked for until it is known: that also shows whether the token is right. */
  async #findBot(signal: AbortSignal): Promise<User> {
    const { clock, random, report } = this.#context;
    for (let failures = 0;; failures++) {
      try {
        const bot = await this.#api.bot(signal);
        logger.info("The bot is {name} ({id})", { name: bot.username, id: bot.id });
        return bot;
      } catch (error) {
        signal.throwIfAborted();
        if (isUnauthorized(error)) throw new DiscordCredentialsError(WRONG_TOKEN, { cause: error });
        const waitMs = networkWait(failures, random);
        const detail = error instanceof Error ? error.message : String(error);
        logger.warn("{detail}; trying again in {waitMs} ms", { detail, waitMs });
        report({ state: "connecting", detail });
        await sleep(clock, waitMs, signal);
      }
    }
  }

  /** The sender sees that nothing goes on any more, though the answer could not be shown. */
  async #settleFailed(delivery: Delivery, signal: AbortSignal): Promise<void> {
    if (delivery.phase !== "final") return;
    const failed = delivery.settles.map((settled): Settled => ({ ...settled, outcome: "failed" }));
    await this.#signs.settle(failed, signal);
  }
}
