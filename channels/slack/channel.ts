/**
 * The Slack channel: one app in one workspace, one socket, everything it shows.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Channel, ChannelContext, Delivery, DeliveryReceipt, LookUp } from "../channel.ts";
import { Delivering } from "../delivering.ts";
import { Admittance, reportedRun, untilKnown } from "../running.ts";
import { SlackApi } from "./api.ts";
import { keepConnection } from "./connection.ts";
import {
  CREDENTIAL_REASONS,
  deliveryErrorOf,
  isRefusedFor,
  SHUT_OUT_REASONS,
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
  readonly #delivering: Delivering;
  readonly #memory = new ChannelMemory();
  readonly #admittance = new Admittance((error) =>
    isRefusedFor(error, SHUT_OUT_REASONS) ? refusalOf(error) : null
  );

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
    this.#delivering = new Delivering({
      signal,
      isStreaming: section.streaming,
      grow: (delivery, either) => this.#deliveries.grow(delivery, either),
      finish: (delivery, either) => this.#deliveries.finish(delivery, either),
      settle: (settles, either) => this.#reactions.settle(settles, either),
      forget: ({ key }) => this.#deliveries.forget(key),
      errorOf: (error) => {
        this.#admittance.note(error);
        return deliveryErrorOf(error);
      },
    });
  }

  async run(): Promise<void> {
    await reportedRun(this.#context, async (signal) => {
      using _ = this.#link;
      await this.#runUntilStopped({ ...this.#context, signal });
    }, this.#admittance);
  }

  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    return this.#delivering.deliver(delivery, signal);
  }

  lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    const look = (either: AbortSignal) => this.#deliveries.lookUp(delivery, either);
    return this.#delivering.lookUp(delivery, signal, look);
  }

  noteWaiting(platformId: string, isWaiting: boolean): void {
    if (isWaiting) this.#reactions.waits(platformId);
    else this.#reactions.begins(platformId);
  }

  async #runUntilStopped(context: ChannelContext): Promise<void> {
    const { clock, random, signal } = context;
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

  /** Who the bot is: without it the bot would answer itself. */
  async #findIdentity(signal: AbortSignal): Promise<Identity> {
    const identity = await untilKnown(() => this.#api.identity(signal), {
      context: this.#context,
      logger,
      refusalOf,
      toldWaitOf: (error) => waitOf(error) ?? 0,
    });
    logger.info("The bot is {user} in {team}", { user: identity.user, team: identity.team });
    return identity;
  }
}

function refusalOf(error: unknown): SlackCredentialsError | null {
  if (!isRefusedFor(error, CREDENTIAL_REASONS)) return null;
  const reason = `${CREDENTIAL_REASONS.get(error.reason)} (${error.reason})`;
  return new SlackCredentialsError("channels.slack.botToken", reason, { cause: error });
}
