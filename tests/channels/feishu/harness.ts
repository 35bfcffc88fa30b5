/**
 * A Feishu channel at a simulated platform, with the gateway's side in memory.
 * @module
 */

import { configure, type LogRecord, reset } from "@logtape/logtape";
import type {
  Channel,
  ChannelContext,
  ChannelInbound,
  ConnectionState,
  Delivery,
  HandInResult,
  Transcription,
} from "../../../channels/channel.ts";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import { seededRandom } from "../../../actors/kernel/random.ts";
import { createChannel, type FeishuSection } from "../../../channels/feishu/mod.ts";
import { FeishuPlatform, type FeishuPlatformOptions } from "../../simulators/feishu_server.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { until } from "../../support/until.ts";

/** Records all logs of the process until it is disposed of. */
export class LogRecorder implements AsyncDisposable {
  readonly records: LogRecord[] = [];

  static async start(): Promise<LogRecorder> {
    const recorder = new LogRecorder();
    await configure({
      reset: true,
      sinks: { memory: (record) => void recorder.records.push(record) },
      loggers: [
        { category: [], sinks: ["memory"], lowestLevel: "trace" },
        { category: ["logtape", "meta"], sinks: [], lowestLevel: "error" },
      ],
    });
    return recorder;
  }

  /** Rendered warnings that contain `text`. */
  warnings(text: string): readonly string[] {
    return this.records.filter(({ level }) => level === "warning")
      .map(({ message }) => message.join("")).filter((message) => message.includes(text));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await reset();
  }
}

/** What a gateway would have stored. */
export class FakeGateway {
  /** What the next hand-ins answer; "accepted" when it runs out. */
  readonly answers: HandInResult[] = [];
  /** In order of acceptance; a draft becomes its completed message in place. */
  readonly inbounds: ChannelInbound[] = [];
  /** Messages that were taken back. */
  readonly withdrawn: string[] = [];
  /** Sound files that were to be written down. */
  readonly heard: string[] = [];
  /** What is said in each sound file. */
  speech: Transcription = { state: "off" };
  /** Each completion waits for it. */
  completionGate: Promise<void> = Promise.resolve();
  readonly states: ConnectionState[] = [];
  readonly memory: Map<string, JsonValue> = new Map();
  /** The folder that channels keep media in. */
  mediaFolder = "/nowhere";
  readonly inboundMemory: Map<string, JsonValue> = new Map();
  /** Each hand-in waits for it. */
  gate: Promise<void> = Promise.resolve();
  /** Told before a state is stored; a throw is a crash at that boundary. */
  onRemember: (key: string, state: JsonValue) => void = () => {};

  /** Messages that wait to be completed. */
  get drafts(): readonly ChannelInbound[] {
    return this.inbounds.filter(({ draft }) => draft !== undefined);
  }

  /** The context of one channel; a second one is a new Worker on the same journal. */
  context(clock: ManualClock, signal: AbortSignal): ChannelContext {
    let ids = 0;
    return {
      name: "feishu",
      clock,
      random: seededRandom(1),
      newId: () => `id-${++ids}`,
      mediaFolder: this.mediaFolder,
      signal,
      handIn: async (inbound) => {
        await this.gate;
        const isKnown = this.inbounds.some(({ platformId }) => platformId === inbound.platformId);
        const answer = this.answers.shift() ?? (isKnown ? "duplicate" : "accepted");
        if (answer === "accepted") this.inbounds.push(inbound);
        return answer;
      },
      complete: async (platformId, contents) => {
        await this.completionGate;
        const at = this.inbounds.findIndex((inbound) => inbound.platformId === platformId);
        const found = this.inbounds[at];
        if (found?.draft === undefined) return;
        const { draft: _completed, ...inbound } = found;
        this.inbounds[at] = { ...inbound, ...contents };
      },
      drafts: () => Promise.resolve(this.drafts),
      withdraw: (platformId) => {
        this.withdrawn.push(platformId);
        return Promise.resolve();
      },
      transcribe: (path) => {
        this.heard.push(path);
        return Promise.resolve(this.speech);
      },
      remember: (key, state) => {
        this.onRemember(key, state);
        this.memory.set(key, state);
        return Promise.resolve();
      },
      rememberInbound: (platformId, state) => {
        this.inboundMemory.set(platformId, state);
        return Promise.resolve();
      },
      report: (state) => void this.states.push(state),
    };
  }
}

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
