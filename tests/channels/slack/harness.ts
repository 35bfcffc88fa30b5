/**
 * A Slack channel at a simulated workspace, with the gateway's side in memory.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import type {
  Channel,
  ChannelCommand,
  ChannelContext,
  Delivery,
  LookUp,
} from "../../../channels/channel.ts";
import { manifest } from "../../../channels/slack/manifest.ts";
import { createChannel } from "../../../channels/slack/mod.ts";
import { SlackPlatform } from "../../simulators/slack_server.ts";
import { FakeGateway } from "../../support/fake_gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";

/** The channel that everybody is in. */
export const TEAM = "C0TEAM";
/** The direct chat with Alice. */
export const ALICE_CHAT = "DALICE";
const COMMANDS: readonly ChannelCommand[] = [
  { name: "stop", argument: null, description: "Stop" },
  { name: "status", argument: null, description: "Status" },
  { name: "model", argument: "name", description: "Model" },
  { name: "dream-log", argument: null, description: "Log" },
];

/** One pass of simulated time; what is on the wire goes on meanwhile. */
const STEP_MS = 50;
const PATIENCE_MS = 10_000;

/** One channel in its life: a Worker without the Worker. */
class Life {
  readonly channel: Channel;
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();

  constructor(section: JsonObject, makeContext: (signal: AbortSignal) => ChannelContext) {
    const parsed = manifest.schema(z).parse(section);
    this.channel = createChannel(parsed, makeContext(this.#stop.signal));
    this.ended = this.channel.run();
    this.ended.catch(() => {}); // looked at by the test, if at all
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended.catch(() => {});
  }
}

/** Workspace, gateway and channel; hold it with `await using`. */
export class Harness implements AsyncDisposable {
  readonly platform: SlackPlatform;
  readonly clock: ManualClock;
  readonly gateway: FakeGateway = new FakeGateway("slack");
  readonly #section: JsonObject;
  readonly #folder: TemporaryFolder;
  #life: Life;

  private constructor(
    clock: ManualClock,
    platform: SlackPlatform,
    section: JsonObject,
    folder: TemporaryFolder,
  ) {
    this.clock = clock;
    this.platform = platform;
    this.#section = section;
    this.#folder = folder;
    this.gateway.mediaFolder = `${folder.path}/media`;
    this.#life = this.#newLife();
  }

  /** Starts all; the channel is on its way to be connected. */
  static async start(section: JsonObject = {}): Promise<Harness> {
    const clock = new ManualClock();
    const platform = SlackPlatform.start(clock);
    platform.addPerson("UALICE", "Alice");
    platform.addPerson("UBOB", "Bob");
    platform.addChannel(TEAM, "team");
    platform.addChannel("C0OTHER", "channel_x");
    platform.world.directChat("UALICE");
    const folder = await temporaryFolder();
    return new Harness(clock, platform, {
      enabled: true,
      allowFrom: ["*"],
      botToken: platform.botToken,
      appToken: platform.appToken,
      apiUrl: platform.apiUrl,
      ...section,
    }, folder);
  }

  /** Starts all and waits until the channel is ready. */
  static async ready(section: JsonObject = {}): Promise<Harness> {
    const harness = await Harness.start(section);
    await harness.isReady();
    return harness;
  }

  /** The folder that the agent works in. */
  get workspace(): string {
    return this.#folder.path;
  }

  /** How the channel's run ended. */
  get ended(): Promise<void> {
    return this.#life.ended;
  }

  /** The channel of this life. */
  get channel(): Channel {
    return this.#life.channel;
  }

  /** Moves time in small steps until `condition` holds. */
  async passUntil(condition: () => boolean, what: string): Promise<void> {
    const deadlineMs = performance.now() + PATIENCE_MS;
    while (!condition()) {
      if (performance.now() > deadlineMs) throw new Error(`Cannot go on: ${what} did not happen`);
      await this.pass(STEP_MS);
    }
  }

  /** Lets time pass, and what is on the wire. */
  async pass(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
      await this.clock.advance(STEP_MS);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }

  /** Waits until the channel says that it is ready. */
  isReady(): Promise<void> {
    return this.passUntil(() => this.gateway.states.at(-1)?.state === "ready", "connecting");
  }

  /** Waits for so many complete messages; gives their texts. */
  async texts(count: number): Promise<readonly string[]> {
    const complete = () => this.gateway.inbounds.filter(({ draft }) => draft === undefined);
    await this.passUntil(() => complete().length >= count, `message ${count}`);
    return complete().map(({ content }) => content);
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

  /** Delivers with what the gateway remembers for the key, while time passes. */
  async deliver(changes: Partial<Delivery> & { readonly key: string }): Promise<readonly string[]> {
    const { signal } = new AbortController();
    const receipt = await this.#inTime(
      this.#life.channel.deliver(this.#deliveryOf(changes), signal),
    );
    return receipt.messageIds;
  }

  /** Looks a delivery up, while time passes. */
  async lookUp(changes: Partial<Delivery> & { readonly key: string }): Promise<LookUp> {
    const { signal } = new AbortController();
    const looking = this.#life.channel.lookUp?.(this.#deliveryOf(changes), signal);
    return await this.#inTime(looking ?? Promise.resolve<LookUp>("cannot_tell"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.platform[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.then(() => void (isDone = true), () => void (isDone = true));
    await this.passUntil(() => isDone, "an answer of the channel");
    await done;
    return await work;
  }

  #deliveryOf(changes: Partial<Delivery> & { readonly key: string }): Delivery {
    return {
      chatId: ALICE_CHAT,
      phase: "final",
      text: "",
      isPlain: false,
      activity: "",
      media: [],
      context: {},
      channelState: this.gateway.memory.get(changes.key) ?? null,
      settles: [],
      ...changes,
    };
  }

  #newLife(): Life {
    return new Life(this.#section, (signal) => ({
      ...this.gateway.context(this.clock, signal),
      workspaceFolder: this.workspace,
      commands: COMMANDS,
    }));
  }
}
