/**
 * The DingTalk channel: one robot, its stream, and everything it shows.
 * @module
 */

import type { Channel, ChannelContext, Delivery, DeliveryReceipt } from "../channel.ts";
import { Delivering } from "../delivering.ts";
import { Admittance, reportedRun } from "../running.ts";
import { DingTalkApi } from "./api.ts";
import { keepConnection } from "./connection.ts";
import { deliveryErrorOf, DingTalkCredentialsError, isQuotaRefusal, refusalOf } from "./errors.ts";
import type { DingTalkLink } from "./link.ts";
import { type DingTalkSection, manifest } from "./manifest.ts";
import { Receiving } from "./receive/receiving.ts";
import { Deliveries } from "./send/deliveries.ts";
import { SendPace } from "./send/pace.ts";
import { Signs } from "./signs.ts";

const QUOTA_WORDS =
  "DingTalk: your organization has made all API calls that its edition has in a " +
  "month; answers there wait until it has more (developer console, API usage)";

/** One robot of DingTalk's. */
export class DingTalkChannel implements Channel {
  /** Messages of robots cannot be changed. */
  readonly isStreaming = false;
  readonly #section: DingTalkSection;
  readonly #context: ChannelContext;
  readonly #link: DingTalkLink;
  readonly #api: DingTalkApi;
  readonly #signs: Signs;
  readonly #delivering: Delivering;
  readonly #admittance = new Admittance(refusalOf);
  #isQuotaTold = false;

  /** @param link is the channel's from now on, which disposes of it */
  constructor(section: DingTalkSection, context: ChannelContext, link: DingTalkLink) {
    const { clock, signal, workspaceFolder } = context;
    this.#section = section;
    this.#context = context;
    this.#link = link;
    const api = new DingTalkApi(section, link, { clock, signal });
    const pace = new SendPace(clock);
    this.#api = api;
    this.#signs = new Signs({
      ...section,
      ...{ api, pace, signal },
      rememberInbound: (platformId, state) => context.rememberInbound(platformId, state),
    });
    const deliveries = new Deliveries({
      ...{ api, pace, workspaceFolder },
      remember: (key, state, keeping) => context.remember(key, state, keeping),
    });
    this.#delivering = new Delivering({
      signal,
      isStreaming: false,
      grow: () => Promise.resolve([]),
      finish: (delivery, either) => deliveries.finish(delivery, either),
      settle: (settles) => this.#signs.settle(settles),
      forget: ({ key }) => deliveries.forget(key),
      errorOf: (error) => {
        this.#admittance.note(error);
        if (isQuotaRefusal(error)) this.#tellQuota();
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

  noteWaiting(platformId: string, isWaiting: boolean): void {
    if (isWaiting) this.#signs.waits(platformId);
    else this.#signs.begins(platformId);
  }

  async #runUntilStopped(context: ChannelContext): Promise<void> {
    const { clock, random, signal } = context;
    const [missing] = manifest.missing(this.#section);
    if (missing !== undefined) throw new DingTalkCredentialsError(missing);
    await using receiving = new Receiving({
      section: this.#section,
      context,
      api: this.#api,
      link: this.#link,
      onAccepted: (inbound) => this.#signs.accepted(inbound),
    });
    receiving.resume();
    await keepConnection({
      api: this.#api,
      link: this.#link,
      clock,
      random,
      report: (state) => context.report(state),
      onMessage: (data, deliveryId) => receiving.take(data, deliveryId),
    }, signal);
  }

  /** Once is enough: it lasts until the month ends. */
  #tellQuota(): void {
    if (this.#isQuotaTold) return;
    this.#isQuotaTold = true;
    this.#context.informOwners?.(QUOTA_WORDS);
  }
}
