/**
 * The Telegram channel: one bot, read by long polling, and everything it shows.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Channel, ChannelContext, Delivery, DeliveryReceipt } from "../channel.ts";
import { Delivering } from "../delivering.ts";
import { reportedRun, untilKnown } from "../running.ts";
import { deliveryErrorOf, isCredentialsRefusal } from "./errors.ts";
import type { MenuCommand, TelegramLink } from "./link.ts";
import type { TelegramSection } from "./manifest.ts";
import { credentialsError, keepPolling } from "./polling.ts";
import { Receiving } from "./receive/receiving.ts";
import { Deliveries } from "./send/deliveries.ts";
import { SendPace } from "./send/pace.ts";
import { Sender } from "./send/sender.ts";
import { Signs } from "./signs.ts";
import type { BotInfo } from "./wire.ts";

const logger = getLogger(["troupe", "telegram", "channel"]);

/** What runs once the library is loaded. */
interface Parts {
  readonly link: TelegramLink;
  readonly deliveries: Deliveries;
}

/** Menus show no more. */
const MENU_COMMANDS_MAX = 100;
const DESCRIPTION_CHARS_MAX = 256;

/** One bot of Telegram's. */
export class TelegramChannel implements Channel {
  readonly isStreaming: boolean;
  readonly #section: TelegramSection;
  readonly #context: ChannelContext;
  readonly #openLink: () => Promise<TelegramLink>;
  readonly #delivering: Delivering;
  #parts: Promise<Parts> | null = null;
  /** Known once the bot is. */
  #signs: Signs | null = null;

  /** @param openLink loads what speaks to the platform; called once, at first use */
  constructor(
    section: TelegramSection,
    context: ChannelContext,
    openLink: () => Promise<TelegramLink>,
  ) {
    this.isStreaming = section.streaming;
    this.#section = section;
    this.#context = context;
    this.#openLink = openLink;
    this.#delivering = new Delivering({
      signal: context.signal,
      isStreaming: section.streaming,
      grow: async (delivery, signal) => (await this.#open()).deliveries.grow(delivery, signal),
      finish: async (delivery, signal) => (await this.#open()).deliveries.finish(delivery, signal),
      settle: async (settles) => await this.#signs?.settle(settles),
      errorOf: deliveryErrorOf,
    });
  }

  async run(): Promise<void> {
    const { signal } = this.#context;
    await reportedRun(this.#context, async () => {
      try {
        await this.#runUntilStopped(signal);
      } finally {
        const parts = await this.#parts?.catch(() => null);
        parts?.link[Symbol.dispose]();
      }
    });
  }

  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    return this.#delivering.deliver(delivery, signal);
  }

  noteWaiting(platformId: string, isWaiting: boolean): void {
    if (isWaiting) this.#signs?.waits(platformId);
    else this.#signs?.begins(platformId);
  }

  async #runUntilStopped(signal: AbortSignal): Promise<void> {
    const context = this.#context;
    const { clock, random } = context;
    const { link } = await this.#open();
    const bot = await this.#findBot(link, signal);
    const signs = new Signs(bot, { ...this.#section, link, clock, signal });
    this.#signs = signs;
    this.#showMenu(link, signal);
    await using receiving = new Receiving({
      section: this.#section,
      context,
      link,
      bot,
      onAccepted: (inbound) => signs.accepted(inbound),
    });
    receiving.resume();
    await keepPolling({
      link,
      clock,
      random,
      report: (state) => context.report(state),
      receive: (updates) => receiving.receive(updates),
    }, signal);
  }

  /** Who the bot is: without it no group message can be judged. */
  async #findBot(link: TelegramLink, signal: AbortSignal): Promise<BotInfo> {
    const bot = await untilKnown(() => link.getMe(signal), {
      context: this.#context,
      logger,
      refusalOf: (error) => isCredentialsRefusal(error) ? credentialsError(error) : null,
    });
    logger.info("The bot is @{username}", { username: bot.username });
    return bot;
  }

  /** Puts the commands into the bot's menu; returns at once. */
  #showMenu(link: TelegramLink, signal: AbortSignal): void {
    const commands = (this.#context.commands ?? []).slice(0, MENU_COMMANDS_MAX)
      .map(({ name, description }): MenuCommand => ({
        command: name.replaceAll("-", "_"),
        description: description.slice(0, DESCRIPTION_CHARS_MAX),
      }));
    if (commands.length === 0) return;
    link.setMyCommands(commands, signal).catch((error) => {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn("The menu of commands stays as it is: {reason}", { reason });
    });
  }

  #open(): Promise<Parts> {
    return this.#parts ??= this.#makeParts();
  }

  async #makeParts(): Promise<Parts> {
    const { clock, remember, workspaceFolder } = this.#context;
    const { replyToMessage, toolHintPrefix, streamEditInterval } = this.#section;
    const link = await this.#openLink();
    const deliveries = new Deliveries({
      sender: new Sender(link, new SendPace(clock)),
      clock,
      remember,
      replyToMessage,
      toolHintPrefix,
      editIntervalMs: streamEditInterval * 1_000,
      workspaceFolder,
    });
    return { link, deliveries };
  }
}
