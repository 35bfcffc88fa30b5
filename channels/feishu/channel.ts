/**
 * The Feishu channel: one app, one long connection, everything it shows.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type {
  Channel,
  ChannelContext,
  ConnectionState,
  Delivery,
  DeliveryReceipt,
  LookUp,
} from "../channel.ts";
import { Delivering } from "../delivering.ts";
import { Admittance, reportedRun, untilKnown } from "../running.ts";
import { FeishuApi } from "./api.ts";
import { keepConnection } from "./connection.ts";
import { CREDENTIAL_CODES, deliveryErrorOf, FeishuCredentialsError, hasCode } from "./errors.ts";
import type { FeishuLink } from "./link.ts";
import type { FeishuSection } from "./manifest.ts";
import { Lookups } from "./lookups.ts";
import { Reactions } from "./reactions.ts";
import { Receiving } from "./receive/receiving.ts";
import { Deliveries } from "./send/deliveries.ts";
import { SendPace } from "./send/pace.ts";
import { Sender } from "./send/sender.ts";
import type { BotInfo } from "./wire.ts";

const logger = getLogger(["troupe", "feishu", "channel"]);

/** What runs once the platform's library is loaded. */
interface Parts {
  readonly link: FeishuLink;
  readonly api: FeishuApi;
  readonly reactions: Reactions;
  readonly deliveries: Deliveries;
}

/** One app's connection to Feishu or Lark. */
export class FeishuChannel implements Channel {
  readonly isStreaming: boolean;
  readonly #section: FeishuSection;
  readonly #context: ChannelContext;
  readonly #openLink: () => Promise<FeishuLink>;
  readonly #delivering: Delivering;
  #parts: Promise<Parts> | null = null;
  readonly #admittance: Admittance;
  #receiving: Receiving | null = null;

  /** @param openLink loads what speaks to the platform; called once, at first use */
  constructor(
    section: FeishuSection,
    context: ChannelContext,
    openLink: () => Promise<FeishuLink>,
  ) {
    this.isStreaming = section.streaming;
    this.#section = section;
    this.#context = context;
    this.#openLink = openLink;
    this.#admittance = new Admittance((error) => refusalOf(error, section.appId));
    this.#delivering = new Delivering({
      signal: context.signal,
      isStreaming: section.streaming,
      grow: async (delivery, signal) => (await this.#open()).deliveries.grow(delivery, signal),
      finish: (delivery, signal) => this.#finish(delivery, signal),
      settle: async (settles, signal) => (await this.#open()).reactions.settle(settles, signal),
      errorOf: (error) => {
        this.#admittance.note(error);
        return deliveryErrorOf(error);
      },
    });
  }

  async run(): Promise<void> {
    await reportedRun(
      this.#context,
      (signal) => this.#runUntilStopped({ ...this.#context, signal }),
      this.#admittance,
    );
  }

  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    return this.#delivering.deliver(delivery, signal);
  }

  lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    return this.#delivering.lookUp(delivery, signal, async (either) => {
      const { deliveries } = await this.#open();
      return await deliveries.lookUp(delivery, either);
    });
  }

  noteWaiting(platformId: string, isWaiting: boolean): void {
    const noting = this.#open().then(({ reactions }) => {
      if (isWaiting) reactions.waits(platformId);
      else reactions.begins(platformId);
    });
    noting.catch(() => {}); // what cannot be opened, `run` tells of
  }

  async #runUntilStopped(context: ChannelContext): Promise<void> {
    const { clock, random, signal } = context;
    const { appId } = this.#section;
    const { link, api, reactions } = await this.#open();
    const bot = await this.#findBot(api, signal);
    await using receiving = new Receiving({
      section: this.#section,
      context,
      link,
      api,
      bot,
      onAccepted: (platformId) => reactions.acknowledge(platformId),
    });
    this.#receiving = receiving;
    receiving.resume();
    const report = (state: ConnectionState): void => context.report(state);
    await keepConnection({
      appId,
      link,
      clock,
      random,
      report,
      onMessage: (event) => receiving.onMessage(event),
      onPress: (event) => receiving.onPress(event),
      onEvent: (eventType, event) => receiving.onEvent(eventType, event),
    }, signal);
  }

  /** Who the bot is: without it no group message can be judged. */
  async #findBot(api: FeishuApi, signal: AbortSignal): Promise<BotInfo> {
    const { appId } = this.#section;
    const bot = await untilKnown(() => api.bot(signal), {
      context: this.#context,
      logger,
      refusalOf: (error) => refusalOf(error, appId),
    });
    logger.info("The bot is {openId}", { openId: bot.open_id });
    return bot;
  }

  async #finish(delivery: Delivery, signal: AbortSignal): Promise<readonly string[]> {
    const { deliveries } = await this.#open();
    const messageIds = await deliveries.finish(delivery, signal);
    this.#receiving?.noteOwnAnswer(delivery, messageIds);
    return messageIds;
  }

  #open(): Promise<Parts> {
    return this.#parts ??= this.#makeParts();
  }

  async #makeParts(): Promise<Parts> {
    const context = this.#context;
    const { clock, signal } = context;
    const { reactEmoji, queuedEmoji, doneEmoji, replyToMessage, toolHintPrefix } = this.#section;
    const link = await this.#openLink();
    const api = new FeishuApi(link);
    const reactions = new Reactions({
      api,
      reactEmoji,
      queuedEmoji,
      doneEmoji,
      rememberInbound: (platformId, state) => context.rememberInbound(platformId, state),
      signal,
    });
    const deliveries = new Deliveries({
      sender: new Sender(api, new SendPace(clock)),
      lookups: new Lookups(link),
      clock,
      remember: (key, state) => context.remember(key, state),
      replyToMessage,
      toolHintPrefix,
      workspaceFolder: context.workspaceFolder,
    });
    return { link, api, reactions, deliveries };
  }
}

function refusalOf(error: unknown, appId: string): FeishuCredentialsError | null {
  if (!hasCode(error, CREDENTIAL_CODES)) return null;
  const reason = `the App ID or the App Secret is wrong (code ${error.platformCode})`;
  return new FeishuCredentialsError(appId, reason, { cause: error });
}
