/**
 * A channel that runs in its real host, between a simulated platform and a gateway in memory.
 * @module
 */

import { join } from "node:path";
import type { ActorRef, ReplyTo } from "../../../actors/kernel/ref.ts";
import type { ConnectionState, Delivery, LookUp } from "../../../channels/channel.ts";
import { ChannelHost, type ChannelHostMessage } from "../../../channels/channel_host.ts";
import type {
  DeliveryOutcome,
  FromChannel,
  LookUpOutcome,
} from "../../../channels/host_protocol.ts";
import { findChannel } from "../../../channels/registry.ts";
import { FakeGateway } from "../../support/fake_gateway.ts";
import { Probe } from "../../support/probe.ts";
import { type TestSystem, testSystem } from "../../support/system.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";
import type { ChannelHarness, ChannelUnderContract, SectionWishes } from "./harness.ts";

/** One pass of simulated time; what is on the wire goes on meanwhile. */
const STEP_MS = 50;
/** Real time for whatever is waited for. */
const PATIENCE_MS = 20_000;
/** A gateway waits before it replaces a Worker that died. */
const BACK_OFF_MS = 1_000;
/** Longer than anything that a test waits for, on the simulated clock. */
const ASK_TIMEOUT_MS = 24 * 3_600_000;

/** What a delivery in a test may leave out. */
export type Showing = Partial<Delivery> & Pick<Delivery, "key">;

/** Platform, channel and gateway; hold it with `await using`. */
export class RunningChannel implements AsyncDisposable {
  readonly platform: ChannelHarness;
  readonly gateway: FakeGateway;
  /** The folder of received files. */
  readonly folder: string;
  /** Why the channel ended by itself; undefined while it has not. */
  ended: { readonly error: string | null } | undefined;
  readonly #channel: ChannelUnderContract;
  readonly #world: TestSystem;
  readonly #wishes: SectionWishes;
  readonly #temporary: TemporaryFolder;
  #host: ActorRef<ChannelHostMessage>;

  private constructor(
    channel: ChannelUnderContract,
    wishes: SectionWishes,
    parts: {
      readonly platform: ChannelHarness;
      readonly world: TestSystem;
      readonly temporary: TemporaryFolder;
    },
  ) {
    this.#channel = channel;
    this.#wishes = wishes;
    this.platform = parts.platform;
    this.#world = parts.world;
    this.#temporary = parts.temporary;
    this.folder = parts.temporary.path;
    this.gateway = new FakeGateway(channel.name);
    this.gateway.mediaFolder = join(this.folder, "media");
    this.gateway.stateFolder = stateFolderIn(parts.temporary);
    this.#host = this.#spawn();
  }

  /** Starts all; the channel is on its way to be connected. */
  static async start(
    channel: ChannelUnderContract,
    wishes: SectionWishes = {},
  ): Promise<RunningChannel> {
    const world = testSystem();
    const platform = await channel.open(world.clock);
    const temporary = await temporaryFolder();
    await platform.prepare?.(stateFolderIn(temporary));
    return new RunningChannel(channel, wishes, { platform, world, temporary });
  }

  /** Where the connection is. */
  get state(): ConnectionState["state"] | undefined {
    return this.gateway.states.at(-1)?.state;
  }

  /** Timers that run; 0 once the channel has stopped. */
  get timers(): number {
    return this.#world.clock.pending;
  }

  /** Texts of the accepted messages, complete, in order. */
  get texts(): readonly string[] {
    return this.gateway.inbounds.filter(({ draft }) => draft === undefined)
      .map(({ content }) => content);
  }

  /** Moves time in small steps until `condition` holds. */
  async passUntil(condition: () => boolean, what: string): Promise<void> {
    const deadlineMs = performance.now() + PATIENCE_MS;
    while (!condition()) {
      if (performance.now() > deadlineMs) throw new Error(`Cannot go on: ${what} did not happen`);
      await this.#world.clock.advance(STEP_MS);
      await breathe();
    }
  }

  /** Waits for the channel to be connected. */
  isReady(): Promise<void> {
    return this.passUntil(() => this.state === "ready", "connecting");
  }

  /** Waits until so many messages were accepted and are complete. */
  async hasTexts(count: number): Promise<readonly string[]> {
    await this.passUntil(() => this.texts.length >= count, `message ${count}`);
    return this.texts;
  }

  /** Time for something that must not happen. */
  async letPass(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
      await this.#world.clock.advance(STEP_MS);
      await breathe();
    }
  }

  /** Delivers with what the gateway remembers for the key, while time passes. */
  async deliver(showing: Showing): Promise<DeliveryOutcome> {
    const delivery = this.#deliveryOf(showing);
    const outcome = await this.#inTime<DeliveryOutcome>((replyTo) => ({
      type: "deliver",
      delivery,
      askedAtMs: this.#world.clock.now(),
      replyTo,
    }));
    await this.platform.arrived?.();
    return outcome;
  }

  /** Delivers what must arrive at the first attempt; gives the ids. */
  async show(showing: Showing): Promise<readonly string[]> {
    const outcome = await this.deliver(showing);
    if (outcome.state === "sent") return outcome.receipt.messageIds;
    throw new Error(`Cannot show "${showing.key}": ${outcome.code} (${outcome.message})`);
  }

  /** Delivers until it arrives, as the outbox does; gives the ends of all attempts. */
  async showAtLast(showing: Showing, attemptsMax = 5): Promise<readonly DeliveryOutcome[]> {
    const outcomes: DeliveryOutcome[] = [];
    while (outcomes.length < attemptsMax) {
      const outcome = await this.deliver(showing);
      outcomes.push(outcome);
      if (outcome.state === "sent") return outcomes;
      await this.letPass(outcome.retryAfterMs ?? 1_000);
    }
    throw new Error(`Cannot show "${showing.key}": ${JSON.stringify(outcomes)}`);
  }

  /** Asks the platform about a delivery in doubt. */
  async lookUp(showing: Showing): Promise<LookUp> {
    const delivery = this.#deliveryOf(showing);
    const outcome = await this.#inTime<LookUpOutcome>((replyTo) => ({
      type: "look_up",
      delivery,
      replyTo,
    }));
    if (outcome.state === "looked") return outcome.found;
    throw new Error(`Cannot look "${showing.key}" up: ${outcome.code} (${outcome.message})`);
  }

  /** A new channel on the same journal, as after the death of the first one's Worker. */
  async restart(): Promise<void> {
    await this.#kill();
    this.gateway.states.length = 0;
    await this.letPass(BACK_OFF_MS);
    this.#host = this.#spawn();
    await this.isReady();
  }

  /** Stops the channel as the gateway does. */
  async stop(): Promise<void> {
    await this.#inTime<"stopped">((replyTo) => ({ type: "stop", replyTo }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kill();
    await this.#world[Symbol.asyncDispose]();
    await this.platform[Symbol.asyncDispose]();
    await this.#temporary[Symbol.asyncDispose]();
  }

  #spawn(): ActorRef<ChannelHostMessage> {
    const entry = findChannel(this.#channel.name);
    if (entry === undefined) throw new Error(`Cannot find channel "${this.#channel.name}"`);
    const section = this.platform.section(this.#wishes);
    const { mediaFolder, stateFolder } = this.gateway;
    const gateway = this.#gatewayRef();
    return this.#world.system.spawn<ChannelHostMessage>({
      name: "host",
      supervision: { restart: "never" },
      create: (context) =>
        new ChannelHost(context, {
          name: this.#channel.name,
          mediaFolder,
          stateFolder,
          workspaceFolder: this.folder,
          gateway,
          load: () => entry.load(section),
        }),
    });
  }

  /** What the host tells the gateway. */
  #gatewayRef(): ActorRef<FromChannel> {
    const { clock } = this.#world;
    return new Probe<FromChannel>({
      name: "/gateway",
      clock,
      onMessage: (message) => {
        if (message.type === "run_ended") this.ended = { error: message.error };
        else this.gateway.receive(message);
      },
    });
  }

  #deliveryOf(showing: Showing): Delivery {
    return {
      chatId: this.#channel.aliceChatId,
      phase: "final",
      text: "",
      isPlain: false,
      activity: "",
      media: [],
      context: {},
      channelState: this.gateway.memory.get(showing.key) ?? null,
      settles: [],
      ...showing,
    };
  }

  async #inTime<Answer>(
    makeMessage: (replyTo: ReplyTo<Answer>) => ChannelHostMessage,
  ): Promise<Answer> {
    const asking = this.#host.ask<Answer>(makeMessage, { timeoutMs: ASK_TIMEOUT_MS });
    let isDone = false;
    const done = asking.then(() => void (isDone = true), () => void (isDone = true));
    await this.passUntil(() => isDone, "an answer of the channel");
    await done;
    return await asking;
  }

  async #kill(): Promise<void> {
    let isGone = false;
    const stopping = this.#world.system.stop(this.#host).then(() => void (isGone = true));
    await this.passUntil(() => isGone, "the end of the channel");
    await stopping;
  }
}

function stateFolderIn({ path }: TemporaryFolder): string {
  return join(path, "state");
}

/** A moment of real time, for what is on the wire. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
