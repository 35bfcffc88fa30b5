/**
 * A Discord channel at a simulated platform.
 * @module
 */

import { z } from "zod";
import type { ChannelContext } from "../../../channels/channel.ts";
import { manifest } from "../../../channels/discord/manifest.ts";
import { createChannel, type DiscordSection } from "../../../channels/discord/mod.ts";
import {
  DiscordPlatform,
  type Saying,
  type SimChannel,
  type SimMessage,
  type SimUser,
} from "../../simulators/discord_server.ts";
import { ChannelBench } from "../../support/channel_bench.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";

/** Commands as the gateway has them. */
export const COMMANDS: NonNullable<ChannelContext["commands"]> = [
  { name: "new", argument: null, description: "Start a new session" },
  { name: "dream-log", argument: "id", description: "Show what changed" },
];

/** Who and what is there before the channel is. */
interface Scene {
  readonly platform: DiscordPlatform;
  readonly alice: SimUser;
  readonly team: SimChannel;
}

/** What a test may choose. */
export interface HarnessOptions {
  readonly section?: Partial<DiscordSection> | ((scene: Scene) => Partial<DiscordSection>);
}

/** Platform, gateway and channel; hold it with `await using`. */
export class Harness extends ChannelBench<DiscordPlatform> {
  readonly alice: SimUser;
  readonly team: SimChannel;

  private constructor(
    clock: ManualClock,
    scene: Scene,
    section: DiscordSection,
    folder: TemporaryFolder,
  ) {
    const { platform, alice, team } = scene;
    super({
      name: "discord",
      clock,
      platform,
      folder,
      create: (context) => createChannel(section, context),
      chatId: () => platform.direct(alice).id,
      commands: COMMANDS,
    });
    this.alice = alice;
    this.team = team;
  }

  /** Starts all; the channel is on its way to be connected. */
  static async start({ section }: HarnessOptions = {}): Promise<Harness> {
    const clock = new ManualClock();
    const platform = new DiscordPlatform(clock);
    const alice = platform.addPerson("alice", "Alice");
    const scene = { platform, alice, team: platform.addChannel("team") };
    const parsed = manifest.schema(z).parse({
      enabled: true,
      token: platform.token,
      allowFrom: [alice.id],
      readReceiptEmoji: null,
      workingEmoji: null,
      apiBase: platform.apiBase,
    });
    const changes = typeof section === "function" ? section(scene) : section;
    return new Harness(clock, scene, { ...parsed, ...changes }, await temporaryFolder());
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
}
