/**
 * A channel at a simulated platform, with the gateway's side in memory; its own tests extend it.
 * @module
 */

import type {
  Channel,
  ChannelCommand,
  ChannelContext,
  Delivery,
  LookUp,
} from "../../channels/channel.ts";
import { FakeGateway } from "./fake_gateway.ts";
import type { ManualClock } from "./manual_clock.ts";
import type { TemporaryFolder } from "./temporary_folder.ts";

/** One pass of simulated time; what is on the wire goes on meanwhile. */
const STEP_MS = 50;
/** Where nothing but a sign of life comes for long. */
export const LONG_STEP_MS = 500;
/** Real time for whatever is waited for. */
const PATIENCE_MS = 20_000;

/** What a delivery in a test may leave out. */
export type Showing = Partial<Delivery> & Pick<Delivery, "key">;

/** What a bench is made of. */
export interface ChannelBenchOptions<Platform> {
  readonly name: string;
  readonly clock: ManualClock;
  /** The bench's from now on, which disposes of it. */
  readonly platform: Platform;
  /** The agent's folder; received files go below it. The bench's from now on. */
  readonly folder: TemporaryFolder;
  /** Makes the channel, for each of its lives. */
  readonly create: (context: ChannelContext) => Channel;
  /** Where deliveries go that name no chat. */
  readonly chatId: () => string;
  readonly commands: readonly ChannelCommand[];
}

/** One channel in its life: a Worker without the Worker. */
class Life {
  readonly channel: Channel;
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();

  constructor(create: (signal: AbortSignal) => Channel) {
    this.channel = create(this.#stop.signal);
    this.ended = this.channel.run();
    this.ended.catch(() => {}); // looked at by the test, if at all
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended.catch(() => {});
  }
}

/** Platform, gateway and channel, on its way to be connected; hold it with `await using`. */
export class ChannelBench<Platform extends AsyncDisposable> implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly platform: Platform;
  readonly gateway: FakeGateway;
  readonly folder: TemporaryFolder;
  readonly #options: ChannelBenchOptions<Platform>;
  #life: Life;

  constructor(options: ChannelBenchOptions<Platform>) {
    this.#options = options;
    this.clock = options.clock;
    this.platform = options.platform;
    this.folder = options.folder;
    this.gateway = new FakeGateway(options.name);
    this.gateway.mediaFolder = `${options.folder.path}/media`;
    this.gateway.stateFolder = `${options.folder.path}/state`;
    this.#life = this.#newLife();
  }

  /** The channel of this life. */
  get channel(): Channel {
    return this.#life.channel;
  }

  /** How the channel's run ended. */
  get ended(): Promise<void> {
    return this.#life.ended;
  }

  /** Waits until the channel says that it is ready. */
  isReady(): Promise<void> {
    return this.passUntil(() => this.gateway.states.at(-1)?.state === "ready", "connecting");
  }

  /**
   * Moves time in small steps until `condition` holds.
   *
   * @param stepMs larger ones where little happens for long
   */
  async passUntil(condition: () => boolean, what: string, stepMs: number = STEP_MS): Promise<void> {
    const deadlineMs = performance.now() + PATIENCE_MS;
    while (!condition()) {
      if (performance.now() > deadlineMs) throw new Error(`Cannot go on: ${what} did not happen`);
      await this.letPass(stepMs, stepMs);
    }
  }

  /** Lets simulated time pass, and what is on the wire. @param stepMs as `passUntil` */
  async letPass(ms: number, stepMs: number = STEP_MS): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      await breathe();
      await this.clock.advance(stepMs);
    }
    await breathe();
  }

  /** The contents of so many accepted messages, complete, in order. */
  async texts(count: number): Promise<readonly string[]> {
    const complete = () => this.gateway.inbounds.filter(({ draft }) => draft === undefined);
    await this.passUntil(() => complete().length >= count, `message ${count}`);
    return complete().map(({ content }) => content);
  }

  /** Delivers with what the gateway remembers for the key, while time passes. */
  async deliver(showing: Showing): Promise<readonly string[]> {
    const { signal } = new AbortController();
    const receipt = await this.#inTime(this.channel.deliver(this.#deliveryOf(showing), signal));
    return receipt.messageIds;
  }

  /** Looks a delivery up, while time passes; undefined where the channel has no way. */
  async lookUp(showing: Showing): Promise<LookUp | undefined> {
    const { signal } = new AbortController();
    const looking = this.channel.lookUp?.(this.#deliveryOf(showing), signal);
    return looking === undefined ? undefined : await this.#inTime(looking);
  }

  /** A new channel on the same journal, as after the death of the first one's Worker. */
  async restart(): Promise<void> {
    await this.stop();
    this.gateway.states.length = 0;
    this.#life = this.#newLife();
    await this.isReady();
  }

  /** Ends this life. */
  async stop(): Promise<void> {
    await this.#life.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.platform[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
  }

  #deliveryOf(showing: Showing): Delivery {
    return {
      chatId: this.#options.chatId(),
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

  async #inTime<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.then(() => void (isDone = true), () => void (isDone = true));
    await this.passUntil(() => isDone, "an answer of the channel");
    await done;
    return await work;
  }

  #newLife(): Life {
    const { create, commands } = this.#options;
    return new Life((signal) =>
      create({
        ...this.gateway.context(this.clock, signal),
        workspaceFolder: this.folder.path,
        commands,
      })
    );
  }
}

/** A moment of real time, for what is on the wire. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
