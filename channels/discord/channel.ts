/**
 * The Discord channel: one bot, one gateway connection, everything it shows.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Channel, ChannelContext, Delivery, DeliveryReceipt, LookUp } from "../channel.ts";
import { Delivering } from "../delivering.ts";
import { reportedRun, untilKnown } from "../running.ts";
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
  readonly #delivering: Delivering;
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
    this.#delivering = new Delivering({
      signal,
      isStreaming: section.streaming,
      grow: (delivery, either) => this.#deliveries.grow(delivery, either),
      finish: (delivery, either) => this.#finish(delivery, either),
      settle: (settles, either) => this.#signs.settle(settles, either),
      errorOf: deliveryErrorOf,
    });
  }

  async run(): Promise<void> {
    await reportedRun(this.#context, () => this.#runUntilStopped(this.#context.signal));
  }

  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    return this.#delivering.deliver(delivery, signal);
  }

  lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    return this.#delivering.lookUp(delivery, signal, async (either) => {
      const botId = this.#botId;
      if (botId === null) throw new DiscordUnreachableError("look up", "not connected yet");
      return await this.#deliveries.lookUp(delivery, botId, either);
    });
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

  /** Who the bot is: that also shows whether the token is right. */
  async #findBot(signal: AbortSignal): Promise<User> {
    const bot = await untilKnown(() => this.#api.bot(signal), {
      context: this.#context,
      logger,
      refusalOf: (error) =>
        isUnauthorized(error) ? new DiscordCredentialsError(WRONG_TOKEN, { cause: error }) : null,
    });
    logger.info("The bot is {name} ({id})", { name: bot.username, id: bot.id });
    return bot;
  }

  async #finish(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const messageIds = await this.#deliveries.finish(delivery, signal);
    this.#receiving?.noteOwnAnswer(delivery, messageIds);
    return messageIds;
  }
}
