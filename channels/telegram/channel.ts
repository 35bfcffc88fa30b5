/**
 * The Telegram channel: one bot, read by long polling, and everything it shows.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { sleep } from "../../actors/kernel/clock.ts";
import { LinkedSignal } from "../../actors/kernel/linked_signal.ts";
import type { Channel, ChannelContext, Delivery, DeliveryReceipt, Settled } from "../channel.ts";
import { networkWait } from "../network_wait.ts";
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
  }

  async run(): Promise<void> {
    const context = this.#context;
    const { signal } = context;
    context.report({ state: "connecting", detail: "Connecting" });
    try {
      await this.#runUntilStopped(signal);
    } catch (error) {
      if (!signal.aborted) {
        const detail = error instanceof Error ? error.message : String(error);
        context.report({ state: "failed", detail });
        throw error;
      }
    } finally {
      const parts = await this.#parts?.catch(() => null);
      parts?.link[Symbol.dispose]();
    }
    context.report({ state: "stopped", detail: "Stopped" });
  }

  async deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    using linked = new LinkedSignal(signal, this.#context.signal);
    const either = linked.signal;
    try {
      const { deliveries } = await this.#open();
      if (delivery.phase === "growing") {
        return { messageIds: this.isStreaming ? await deliveries.grow(delivery, either) : [] };
      }
      const messageIds = await deliveries.finish(delivery, either);
      await this.#signs?.settle(delivery.settles);
      return { messageIds };
    } catch (error) {
      const failure = deliveryErrorOf(error);
      if (failure.code === "delivery_permanent") await this.#settleFailed(delivery);
      throw failure;
    }
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

  /** Who the bot is, asked for until it is known: without it no group message can be judged. */
  async #findBot(link: TelegramLink, signal: AbortSignal): Promise<BotInfo> {
    const { clock, random, report } = this.#context;
    for (let failures = 0;; failures++) {
      try {
        const bot = await link.getMe(signal);
        logger.info("The bot is @{username}", { username: bot.username });
        return bot;
      } catch (error) {
        signal.throwIfAborted();
        if (isCredentialsRefusal(error)) throw credentialsError(error);
        const waitMs = networkWait(failures, random);
        const detail = error instanceof Error ? error.message : String(error);
        logger.warn("{detail}; trying again in {waitMs} ms", { detail, waitMs });
        report({ state: "connecting", detail });
        await sleep(clock, waitMs, signal);
      }
    }
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

  /** The sender sees that nothing goes on any more, though the answer could not be shown. */
  async #settleFailed({ phase, settles }: Delivery): Promise<void> {
    if (phase !== "final") return;
    const failed = settles.map((settled): Settled => ({ ...settled, outcome: "failed" }));
    await this.#signs?.settle(failed);
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
