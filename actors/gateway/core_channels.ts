/**
 * The channels of the core: an outbox and an actor for each, which come, change and go while the
 * gateway runs.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { asError } from "../kernel/errors.ts";
import type { ActorRef } from "../kernel/ref.ts";
import type { ActorSystem } from "../kernel/system.ts";
import type { ChannelActorMessage, StartHost } from "./channel_protocol.ts";
import type { Transcribe } from "./channel_desk.ts";
import type { OutboxActorMessage } from "./outbox.ts";

const logger = getLogger(["troupe", "gateway", "channels"]);

/** A channel that leaves may send what waits for this long; the rest stays in the journal. */
const DRAIN_MS = 5_000;
/** Closing a connection takes a channel at most 5 s. */
const CLOSE_MS = 10_000;

/** One channel, ready to be started. */
export interface CoreChannel {
  readonly name: string;
  /** How long a send under the same key may be repeated; 0: never. */
  readonly idempotencyMs: number;
  /** It is sent answers only, and no words on the way to them. @default false */
  readonly sparesMessages?: boolean;
  readonly startHost: StartHost;
  /** Tells its settings from others: with the same ones it goes on as it is. @default "" */
  readonly revision?: string;
  /** It shows what the model thinks. @default false */
  readonly showsReasoning?: boolean;
  /** Writes down what is said in its sound files. @default nobody does */
  readonly transcribe?: Transcribe;
}

/** What channels are started with. */
export interface CoreChannelsOptions {
  readonly system: Pick<ActorSystem, "stop">;
  readonly startOutbox: (channel: CoreChannel) => ActorRef<OutboxActorMessage>;
  readonly startChannel: (
    channel: CoreChannel,
    outbox: ActorRef<OutboxActorMessage>,
  ) => ActorRef<ChannelActorMessage>;
}

/** The channels, by name; their maps change with them. */
export class CoreChannels {
  readonly outboxes: Map<string, ActorRef<OutboxActorMessage>> = new Map();
  readonly actors: Map<string, ActorRef<ChannelActorMessage>> = new Map();
  readonly #options: CoreChannelsOptions;
  readonly #known = new Map<string, CoreChannel>();

  constructor(options: CoreChannelsOptions) {
    this.#options = options;
  }

  /** The channel as it was last given. */
  get(name: string): CoreChannel | undefined {
    return this.#known.get(name);
  }

  /** Makes the channel known and starts its outbox. */
  add(channel: CoreChannel): void {
    this.#known.set(channel.name, channel);
    this.outboxes.set(channel.name, this.#options.startOutbox(channel));
  }

  /** Starts all channels that are known and do not run yet. */
  start(): void {
    for (const [name, channel] of this.#known) {
      const outbox = this.outboxes.get(name);
      if (outbox === undefined || this.actors.has(name)) continue;
      this.actors.set(name, this.#options.startChannel(channel, outbox));
    }
  }

  /**
   * Has exactly these run besides those that `isKept`: what came starts, what changed starts anew,
   * what is gone stops. What waits to be sent through a channel that is gone stays in the journal.
   */
  async change(
    channels: readonly CoreChannel[],
    isKept: (name: string) => boolean,
  ): Promise<void> {
    const wanted = new Set(channels.map(({ name }) => name));
    const gone = [...this.#known.keys()].filter((name) => !wanted.has(name) && !isKept(name));
    await Promise.all([
      ...gone.map((name) => this.#remove(name)),
      ...channels.map((channel) => this.#put(channel)),
    ]);
    this.start();
  }

  async #put(channel: CoreChannel): Promise<void> {
    const { name, startHost, revision } = channel;
    const known = this.#known.get(name);
    if (known === undefined) return this.add(channel);
    if (known.revision === revision) return;
    this.#known.set(name, channel);
    await this.#settle(name);
    const changing = this.actors.get(name)?.ask<"changed">(
      (replyTo) => ({ type: "change_host", startHost, replyTo }),
      { timeoutMs: CLOSE_MS },
    );
    await this.#waited(name, changing);
  }

  async #remove(name: string): Promise<void> {
    const { system } = this.#options;
    const [actor, outbox] = [this.actors.get(name), this.outboxes.get(name)];
    actor?.tell({ type: "stop_intake" });
    await this.#settle(name);
    const closing = actor?.ask<"stopped">((replyTo) => ({ type: "stop_channel", replyTo }), {
      timeoutMs: CLOSE_MS,
    });
    await this.#waited(name, closing);
    this.#known.delete(name);
    this.actors.delete(name);
    this.outboxes.delete(name);
    if (actor !== undefined) await system.stop(actor);
    if (outbox !== undefined) await system.stop(outbox);
  }

  /** Lets what is on its way to the platform come to its end. */
  async #settle(name: string): Promise<void> {
    const draining = this.outboxes.get(name)?.ask<"drained">(
      (replyTo) => ({ type: "drain_outbox", replyTo }),
      { timeoutMs: DRAIN_MS },
    );
    await this.#waited(name, draining);
  }

  async #waited(name: string, ending: Promise<unknown> | undefined): Promise<void> {
    try {
      await ending;
    } catch (error) {
      const reason = asError(error).message;
      logger.info("Went on before channel {name} had come to rest: {reason}", { name, reason });
    }
  }
}
