/**
 * A Discord channel at a simulated platform, with the gateway's side in memory.
 * @module
 */

import { z } from "zod";
import type { Channel, ChannelContext, Delivery } from "../../../channels/channel.ts";
import { manifest } from "../../../channels/discord/manifest.ts";
import { createChannel, type DiscordSection } from "../../../channels/discord/mod.ts";
import {
  DiscordPlatform,
  type Saying,
  type SimChannel,
  type SimMessage,
  type SimUser,
} from "../../simulators/discord_server.ts";
import { FakeGateway } from "../../support/fake_gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";
import { until } from "../../support/until.ts";

/** Commands as the gateway has them. */
export const COMMANDS: NonNullable<ChannelContext["commands"]> = [
  { name: "new", argument: null, description: "Start a new session" },
  { name: "dream-log", argument: "id", description: "Show what changed" },
];

/** What a test may choose. */
export interface HarnessOptions {
  readonly section?: Partial<DiscordSection> | ((harness: Harness) => Partial<DiscordSection>);
}

/** Platform, gateway and channel; hold it with `await using`. */
export class Harness implements AsyncDisposable {
  readonly clock: ManualClock = new ManualClock();
  readonly platform: DiscordPlatform = new DiscordPlatform(this.clock);
  readonly gateway: FakeGateway = new FakeGateway("discord");
  readonly folder: TemporaryFolder;
  readonly alice: SimUser = this.platform.addPerson("alice", "Alice");
  readonly team: SimChannel = this.platform.addChannel("team");
  readonly #section: DiscordSection;
  #stop = new AbortController();
  channel: Channel;
  ended: Promise<void>;

  private constructor(folder: TemporaryFolder, { section }: HarnessOptions) {
    this.folder = folder;
    this.gateway.mediaFolder = `${folder.path}/media`;
    this.#section = {
      ...manifest.schema(z).parse({
        enabled: true,
        token: this.platform.token,
        allowFrom: [this.alice.id],
        readReceiptEmoji: null,
        workingEmoji: null,
        apiBase: this.platform.apiBase,
      }),
      ...(typeof section === "function" ? section(this) : section),
    };
    this.channel = this.#open();
    this.ended = this.#run();
  }

  /** Starts all; the channel is on its way to be connected. */
  static async start(options: HarnessOptions = {}): Promise<Harness> {
    return new Harness(await temporaryFolder(), options);
  }

  /** Starts all and waits until the channel is ready. */
  static async ready(options: HarnessOptions = {}): Promise<Harness> {
    const harness = await Harness.start(options);
    await harness.isReady();
    return harness;
  }

  /** The direct messages with Alice. */
  get direct(): SimChannel {
    return this.platform.direct(this.alice);
  }

  /** Alice writes, in direct messages unless it is said where. */
  says(saying: string | Partial<Saying>): SimMessage {
    const given = typeof saying === "string" ? { text: saying } : saying;
    return this.platform.userSays({ author: this.alice, channel: this.direct, ...given });
  }

  /** What the bot says in a channel: its messages, oldest first. */
  shown(channel: SimChannel = this.direct): readonly SimMessage[] {
    const { world } = this.platform;
    return world.messagesIn(channel.id).filter(({ author }) => author === world.bot);
  }

  /** Waits until the channel says that it is ready. */
  isReady(): Promise<void> {
    return this.pass(() => this.gateway.states.at(-1)?.state === "ready", "the channel is ready");
  }

  /** Moves time in small steps until `condition` holds. */
  pass(condition: () => boolean, what: string): Promise<void> {
    return until(async () => {
      if (condition()) return true;
      await breathe();
      await this.clock.advance(50);
      return condition();
    }, { what, timeoutMs: 20_000 });
  }

  /** The contents of so many accepted messages, complete, in order. */
  async texts(count: number): Promise<readonly string[]> {
    const complete = () => this.gateway.inbounds.filter(({ draft }) => draft === undefined);
    await this.pass(() => complete().length >= count, `${count} messages`);
    return complete().map(({ content }) => content);
  }

  /** Lets simulated time pass. */
  async later(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      await this.clock.advance(50);
      await breathe();
    }
  }

  /** Delivers with what the gateway remembers for the key, while time passes. */
  async deliver(changes: Partial<Delivery> & Pick<Delivery, "key">): Promise<readonly string[]> {
    const delivering = this.channel.deliver(this.#delivery(changes), new AbortController().signal);
    let isDone = false;
    const done = delivering.then(() => void (isDone = true), () => void (isDone = true));
    await this.pass(() => isDone, "the end of a delivery");
    await done;
    return (await delivering).messageIds;
  }

  /** Looks up with what the gateway remembers for the key. */
  async lookUp(changes: Partial<Delivery> & Pick<Delivery, "key">): Promise<string | undefined> {
    return await this.channel.lookUp?.(this.#delivery(changes), new AbortController().signal);
  }

  /** A new channel on the same journal, as after the death of the first one's Worker. */
  async restart(): Promise<void> {
    await this.stop();
    this.gateway.states.length = 0;
    this.#stop = new AbortController();
    this.channel = this.#open();
    this.ended = this.#run();
    await this.isReady();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended.catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.platform[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
  }

  #delivery(changes: Partial<Delivery> & Pick<Delivery, "key">): Delivery {
    return {
      chatId: this.direct.id,
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

  #open(): Channel {
    const context = this.gateway.context(this.clock, this.#stop.signal);
    return createChannel(this.#section, {
      ...context,
      workspaceFolder: this.folder.path,
      commands: COMMANDS,
    });
  }

  #run(): Promise<void> {
    const running = this.channel.run();
    running.catch(() => {}); // looked at by the test, if at all
    return running;
  }
}

/** A moment of real time, for what is on the wire. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
