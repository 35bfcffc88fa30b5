/**
 * The Slack channel: one app in one workspace, one socket, everything it shows.
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
import { SlackApi } from "./api.ts";
import { keepConnection } from "./connection.ts";
import {
  CREDENTIAL_REASONS,
  deliveryErrorOf,
  isRefusedFor,
  SlackCredentialsError,
  waitOf,
} from "./errors.ts";
import type { SlackLink } from "./link.ts";
import { manifest, type SlackSection } from "./manifest.ts";
import { Reactions } from "./reactions.ts";
import { ChannelMemory } from "./receive/memory.ts";
import { Receiving } from "./receive/receiving.ts";
import { Deliveries } from "./send/deliveries.ts";
import { SendPace } from "./send/pace.ts";
import { Sender } from "./send/sender.ts";
import { Targets } from "./send/targets.ts";
import type { Identity } from "./wire.ts";

const logger = getLogger(["troupe", "slack", "channel"]);

/** One app's connection to Slack. */
export class SlackChannel implements Channel {
  readonly isStreaming: boolean;
  readonly #section: SlackSection;
  readonly #context: ChannelContext;
  readonly #link: SlackLink;
  readonly #api: SlackApi;
  readonly #reactions: Reactions;
  readonly #deliveries: Deliveries;
  readonly #memory = new ChannelMemory();

  /** @param link is the channel's from now on, which disposes of it */
  constructor(section: SlackSection, context: ChannelContext, link: SlackLink) {
    const { clock, signal, workspaceFolder } = context;
    this.isStreaming = section.streaming;
    this.#section = section;
    this.#context = context;
    this.#link = link;
    this.#api = new SlackApi(link);
    this.#reactions = new Reactions({ ...section, api: this.#api, signal });
    const pace = new SendPace(clock);
    this.#deliveries = new Deliveries({
      sender: new Sender(this.#api, pace, clock),
      targets: new Targets(this.#api),
      pace,
      clock,
      remember: (key, state, keeping) => context.remember(key, state, keeping),
      workspaceFolder,
    });
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
      this.#link[Symbol.dispose]();
    }
    context.report({ state: "stopped", detail: "Stopped" });
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
      await this.#reactions.settle(delivery.settles, either);
      return { messageIds };
    } catch (error) {
      const failure = deliveryErrorOf(error);
      if (failure.code === "delivery_permanent") await this.#giveUp(delivery, either);
      throw failure;
    }
  }

  async lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    using linked = new LinkedSignal(signal, this.#context.signal);
    const either = linked.signal;
    try {
      const found = await this.#deliveries.lookUp(delivery, either);
      if (found === "arrived") await this.#reactions.settle(delivery.settles, either);
      return found;
    } catch (error) {
      throw deliveryErrorOf(error);
    }
  }

  noteWaiting(platformId: string, isWaiting: boolean): void {
    if (isWaiting) this.#reactions.waits(platformId);
    else this.#reactions.begins(platformId);
  }

  async #runUntilStopped(signal: AbortSignal): Promise<void> {
    const context = this.#context;
    const { clock, random } = context;
    const [missing] = manifest.missing(this.#section);
    if (missing !== undefined) throw new SlackCredentialsError("channels.slack", missing);
    const identity = await this.#findIdentity(signal);
    const memory = this.#memory;
    memory.restore(await context.readCursor());
    memory.beginGap();
    await using receiving = new Receiving({
      section: this.#section,
      context,
      link: this.#link,
      api: this.#api,
      identity,
      memory,
      onAccepted: (platformId) => this.#reactions.acknowledge(platformId),
    });
    receiving.resume();
    await keepConnection({
      api: this.#api,
      link: this.#link,
      clock,
      random,
      report: (state) => context.report(state),
      onEnvelope: (envelope) => receiving.take(envelope),
      onResumed: () => receiving.catchUp(),
      onLost: () => memory.beginGap(),
    }, signal);
  }

  /** Who the bot is, asked for until it is known: without it the bot would answer itself. */
  async #findIdentity(signal: AbortSignal): Promise<Identity> {
    const { clock, random, report } = this.#context;
    for (let failures = 0;; failures++) {
      try {
        const identity = await this.#api.identity(signal);
        logger.info("The bot is {user} in {team}", { user: identity.user, team: identity.team });
        return identity;
      } catch (error) {
        signal.throwIfAborted();
        if (isRefusedFor(error, CREDENTIAL_REASONS)) {
          const reason = `${CREDENTIAL_REASONS.get(error.reason)} (${error.reason})`;
          throw new SlackCredentialsError("channels.slack.botToken", reason, { cause: error });
        }
        const waitMs = Math.max(networkWait(failures, random), waitOf(error) ?? 0);
        const detail = error instanceof Error ? error.message : String(error);
        logger.warn("{detail}; trying again in {waitMs} ms", { detail, waitMs });
        report({ state: "connecting", detail });
        await sleep(clock, waitMs, signal);
      }
    }
  }

  /** The sender sees that nothing goes on any more, though the answer could not be shown. */
  async #giveUp(delivery: Delivery, signal: AbortSignal): Promise<void> {
    if (delivery.phase !== "final") return;
    this.#deliveries.forget(delivery.key);
    const failed = delivery.settles.map((settled): Settled => ({ ...settled, outcome: "failed" }));
    await this.#reactions.settle(failed, signal);
  }
}
