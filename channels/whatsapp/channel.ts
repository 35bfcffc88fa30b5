/**
 * The WhatsApp channel: one linked device, and everything it shows.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import type { Channel, ChannelContext, Delivery, DeliveryReceipt, LookUp } from "../channel.ts";
import { Delivering } from "../delivering.ts";
import { reportedRun } from "../running.ts";
import type { DeviceStore, StoredDevice } from "./adapters/device_store.ts";
import { ownIdsIn } from "./adapters/credentials.ts";
import { CurrentLink } from "./current_link.ts";
import { deliveryErrorOf, WhatsAppSignInError } from "./errors.ts";
import type { Connection, ConnectionEvents, FileSource } from "./link.ts";
import type { WhatsAppSection } from "./manifest.ts";
import { Receiving } from "./receive/receiving.ts";
import { Deliveries } from "./send/deliveries.ts";
import { Signs } from "./signs.ts";
import { stayConnected } from "./staying.ts";

const logger = getLogger(["troupe", "whatsapp", "channel"]);

/** Begins a connection of a device. */
export type Connect = (options: {
  readonly store: DeviceStore;
  readonly device: StoredDevice;
  readonly events: ConnectionEvents;
}) => Connection;

/** What speaks to WhatsApp, and keeps the device. */
export interface WhatsAppAdapters {
  readonly openStore: (folder: string) => DeviceStore;
  readonly files: FileSource;
  /** Loads what connects; called once. */
  readonly load: () => Promise<Connect>;
}

/** One device of WhatsApp's. */
export class WhatsAppChannel implements Channel {
  /** Every change of a message is a message of its own there, for each device of everybody. */
  readonly isStreaming = false;
  readonly #section: WhatsAppSection;
  readonly #context: ChannelContext;
  readonly #adapters: WhatsAppAdapters;
  readonly #link = new CurrentLink();
  readonly #delivering: Delivering;
  /** Known while the channel runs. */
  #signs: Signs | null = null;

  constructor(section: WhatsAppSection, context: ChannelContext, adapters: WhatsAppAdapters) {
    this.#section = section;
    this.#context = context;
    this.#adapters = adapters;
    const { clock, remember, signal, workspaceFolder } = context;
    const deliveries = new Deliveries({
      ...{ clock, remember, workspaceFolder, link: this.#link },
      replyToMessage: section.replyToMessage,
    });
    this.#delivering = new Delivering({
      signal,
      isStreaming: false,
      grow: () => Promise.resolve([]),
      finish: (delivery, ending) => deliveries.finish(delivery, ending),
      settle: (settles) => Promise.resolve(this.#signs?.settle(settles)),
      errorOf: deliveryErrorOf,
    });
  }

  async run(): Promise<void> {
    const { bridgeUrl, bridgeToken } = this.#section;
    if (bridgeUrl !== null || bridgeToken !== null) {
      logger.warn(
        "channels.whatsapp.bridgeUrl and bridgeToken are not used: no bridge is needed any more",
      );
    }
    await reportedRun(this.#context, (signal) => this.#runUntilStopped(signal));
  }

  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryReceipt> {
    return this.#delivering.deliver(delivery, signal);
  }

  /** WhatsApp tells nobody what was sent; what the server acknowledged is remembered anyway. */
  lookUp(delivery: Delivery, signal: AbortSignal): Promise<LookUp> {
    return this.#delivering.lookUp(delivery, signal, () => Promise.resolve("cannot_tell"));
  }

  noteWaiting(platformId: string, isWaiting: boolean): void {
    if (isWaiting) this.#signs?.waits(platformId);
    else this.#signs?.begins(platformId);
  }

  async #runUntilStopped(signal: AbortSignal): Promise<void> {
    const context = this.#context;
    const { clock, random, rememberInbound, stateFolder } = context;
    if (stateFolder === undefined) {
      throw new WhatsAppSignInError("there is no folder for the keys of a device");
    }
    using store = this.#adapters.openStore(stateFolder);
    const device = store.current();
    if (device === null) {
      throw new WhatsAppSignInError("no device is linked; run `channels login whatsapp`");
    }
    const connect = await this.#adapters.load();
    const link = this.#link;
    const options = { ...this.#section, link, clock, signal, rememberInbound };
    await using signs = new Signs(options);
    this.#signs = signs;
    await using receiving = new Receiving({
      ...{ section: this.#section, context, store, files: this.#adapters.files },
      onAccepted: (inbound) => signs.accepted(inbound),
    });
    receiving.isSelf(ownIdsIn(device.credentials));
    receiving.resume();
    await stayConnected({
      ...{ clock, random },
      report: (state) => context.report(state),
      onConnection: (connection) => link.use(connection),
      onLoggedOut: () => store.forget(),
      connect: (onOpen) =>
        connect({
          store,
          device: store.current() ?? device,
          events: {
            opened: (self) => {
              receiving.isSelf(self);
              onOpen();
            },
            codeShown: () => {},
            linked: () => {},
            named: (person) => receiving.learn(person),
            isWanted: (message) => receiving.isWanted(message),
            kept: () => receiving.wake(),
          },
        }),
    }, signal);
  }
}
