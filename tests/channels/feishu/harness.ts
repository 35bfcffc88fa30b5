/**
 * A Feishu channel at a simulated platform, with the gateway's side in memory.
 * @module
 */

import type { Channel, Delivery } from "../../../channels/channel.ts";
import { seededRandom } from "../../../actors/kernel/random.ts";
import { createChannel, type FeishuSection } from "../../../channels/feishu/mod.ts";
import { FeishuPlatform, type FeishuPlatformOptions } from "../../simulators/feishu_server.ts";
import { FakeGateway } from "../../support/fake_gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { until } from "../../support/until.ts";

export { FakeGateway } from "../../support/fake_gateway.ts";
export { LogRecorder } from "../../support/log_recorder.ts";

/** What a test may choose. */
export interface HarnessOptions {
  readonly section?: Partial<FeishuSection>;
  readonly platform?: FeishuPlatformOptions;
  /** Where received files go. @default nowhere that could be written to */
  readonly mediaFolder?: string;
}

/** A section as the manifest's schema gives it. */
export function sectionFor(
  platform: FeishuPlatform,
  changes: Partial<FeishuSection> = {},
): FeishuSection {
  return {
    enabled: true,
    allowFrom: ["*"],
    appId: platform.app.appId,
    appSecret: platform.app.appSecret,
    encryptKey: "",
    verificationToken: "",
    groupPolicy: "mention",
    reactEmoji: null,
    doneEmoji: null,
    queuedEmoji: null,
    toolHintPrefix: "🔧",
    showReasoning: false,
    topicIsolation: true,
    replyToMessage: false,
    streaming: true,
    domain: platform.url,
    instances: [],
    ...changes,
  };
}

/** One channel in its life: a Worker without the Worker. */
export class Life {
  readonly channel: Channel;
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();

  constructor(section: FeishuSection, gateway: FakeGateway, clock: ManualClock) {
    this.channel = createChannel(section, gateway.context(clock, this.#stop.signal));
    this.ended = this.channel.run();
    this.ended.catch(() => {}); // looked at by the test, if at all
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended.catch(() => {});
  }
}

/** Platform, gateway and channel; hold it with `await using`. */
export class Harness implements AsyncDisposable {
  readonly platform: FeishuPlatform;
  readonly clock: ManualClock;
  readonly gateway: FakeGateway = new FakeGateway();
  readonly section: FeishuSection;
  life: Life;

  private constructor(
    platform: FeishuPlatform,
    clock: ManualClock,
    section: FeishuSection,
    mediaFolder: string | undefined,
  ) {
    this.platform = platform;
    this.clock = clock;
    this.section = section;
    if (mediaFolder !== undefined) this.gateway.mediaFolder = mediaFolder;
    this.life = new Life(section, this.gateway, clock);
  }

  /** Starts all; the channel is on its way to be connected. */
  static async start(
    { section, platform: options, mediaFolder }: HarnessOptions = {},
  ): Promise<Harness> {
    const clock = new ManualClock();
    const platform = await FeishuPlatform.start({ clock, random: seededRandom(7), ...options });
    return new Harness(platform, clock, sectionFor(platform, section), mediaFolder);
  }

  /** Starts all and waits until the channel is ready. */
  static async ready(options: HarnessOptions = {}): Promise<Harness> {
    const harness = await Harness.start(options);
    harness.platform.addPerson("ou_alice", { name: "Alice" });
    await harness.isReady();
    return harness;
  }

  /** Waits until the channel says that it is ready. */
  isReady(): Promise<void> {
    return until(() => this.gateway.states.at(-1)?.state === "ready", {
      what: `the channel is ready (${JSON.stringify(this.gateway.states.at(-1))})`,
    });
  }

  /** Waits until every accepted message is complete, and gives the texts of all. */
  async texts(): Promise<readonly string[]> {
    await until(() => this.gateway.drafts.length === 0, { what: "complete messages" });
    return this.gateway.inbounds.map(({ content }) => content);
  }

  /** A new channel on the same journal, as after the death of the first one's Worker. */
  async restart(): Promise<void> {
    await this.life.stop();
    this.life = new Life(this.section, this.gateway, this.clock);
    await this.isReady();
  }

  /** Delivers with what the gateway remembers for the key. */
  async deliver(changes: Partial<Delivery> & { readonly key: string }): Promise<readonly string[]> {
    const delivery: Delivery = {
      chatId: "ou_alice",
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
    const receipt = await this.life.channel.deliver(delivery, new AbortController().signal);
    return receipt.messageIds;
  }

  /** Delivers while time passes in small steps, for calls that wait for the pace. */
  async deliverInTime(
    changes: Partial<Delivery> & { readonly key: string },
  ): Promise<readonly string[]> {
    const delivering = this.deliver(changes);
    let isDone = false;
    const done = delivering.then(() => void (isDone = true), () => void (isDone = true));
    while (!isDone) await this.clock.advance(50);
    await done;
    return await delivering;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.life.stop();
    await this.platform[Symbol.asyncDispose]();
  }
}
