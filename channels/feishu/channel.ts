/**
 * The Feishu channel: one app, one long connection, everything it shows.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { sleep } from "../../actors/kernel/clock.ts";
import { LinkedSignal } from "../../actors/kernel/linked_signal.ts";
import type {
  Channel,
  ChannelContext,
  ConnectionState,
  Delivery,
  DeliveryReceipt,
  LookUp,
  Settled,
} from "../channel.ts";
import { FeishuApi } from "./api.ts";
import { networkWait } from "../network_wait.ts";
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
  #parts: Promise<Parts> | null = null;
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
  }

  async run(): Promise<void> {
    const context = this.#context;
    const { signal } = context;
    context.report({ state: "connecting", detail: "Connecting" });
    try {
      await this.#runUntilStopped(signal);
    } catch (error) {
      if (!signal.aborted) {
        context.report({
          state: "failed",
          detail: error instanceof Error ? error.message : String(error),
        });
        throw error;
      }
    }
    context.report({ state: "stopped", detail: "Stopped" });
  }

  async deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    using linked = new LinkedSignal(signal, this.#context.signal);
    const either = linked.signal;
    try {
      const { deliveries, reactions } = await this.#open();
      if (delivery.phase === "growing") {
        const messageIds = this.isStreaming ? await deliveries.grow(delivery, either) : [];
        return { messageIds };
      }
      const messageIds = await deliveries.finish(delivery, either);
      this.#receiving?.noteOwnAnswer(delivery, messageIds);
      await reactions.settle(delivery.settles, either);
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
      const { deliveries, reactions } = await this.#open();
      const found = await deliveries.lookUp(delivery, either);
      if (found === "arrived") await reactions.settle(delivery.settles, either);
      return found;
    } catch (error) {
      throw deliveryErrorOf(error);
    }
  }

  noteWaiting(platformId: string, isWaiting: boolean): void {
    const noting = this.#open().then(({ reactions }) => {
      if (isWaiting) reactions.waits(platformId);
      else reactions.begins(platformId);
    });
    noting.catch(() => {}); // what cannot be opened, `run` tells of
  }

  async #runUntilStopped(signal: AbortSignal): Promise<void> {
    const context = this.#context;
    const { clock, random } = context;
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

  /** Who the bot is, asked for until it is known: without it no group message can be judged. */
  async #findBot(api: FeishuApi, signal: AbortSignal): Promise<BotInfo> {
    const context = this.#context;
    const { clock, random } = context;
    const { appId } = this.#section;
    for (let failures = 0;; failures++) {
      try {
        const bot = await api.bot(signal);
        logger.info("The bot is {openId}", { openId: bot.open_id });
        return bot;
      } catch (error) {
        signal.throwIfAborted();
        if (hasCode(error, CREDENTIAL_CODES)) throw credentialsError(appId, error.platformCode);
        const waitMs = networkWait(failures, random);
        const detail = error instanceof Error ? error.message : String(error);
        logger.warn("{detail}; trying again in {waitMs} ms", { detail, waitMs });
        context.report({ state: "connecting", detail });
        await sleep(clock, waitMs, signal);
      }
    }
  }

  /** The sender sees that nothing goes on any more, though the answer could not be shown. */
  async #settleFailed(delivery: Delivery, signal: AbortSignal): Promise<void> {
    if (delivery.phase !== "final") return;
    const { reactions } = await this.#open();
    const failed = delivery.settles.map((settled): Settled => ({ ...settled, outcome: "failed" }));
    await reactions.settle(failed, signal);
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

function credentialsError(appId: string, platformCode: number): FeishuCredentialsError {
  return new FeishuCredentialsError(
    appId,
    `the App ID or the App Secret is wrong (code ${platformCode})`,
  );
}
