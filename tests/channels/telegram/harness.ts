/**
 * A Telegram channel at a simulated platform.
 * @module
 */

import { z } from "zod";
import type { ChannelContext } from "../../../channels/channel.ts";
import { manifest } from "../../../channels/telegram/manifest.ts";
import { createChannel, type TelegramSection } from "../../../channels/telegram/mod.ts";
import { TelegramPlatform } from "../../simulators/telegram_server.ts";
import { ChannelBench } from "../../support/channel_bench.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";

/** Alice, who may write. */
export const ALICE = 1_001;
/** A group, with topics. */
export const GROUP = -100_500;

/** Commands as the gateway has them. */
export const COMMANDS: NonNullable<ChannelContext["commands"]> = [
  { name: "new", argument: null, description: "Start a new session" },
  { name: "dream-log", argument: "id", description: "Show what changed" },
  { name: "dream-restore", argument: "id", description: "Take it back" },
];

/** What a test may choose. */
export interface HarnessOptions {
  readonly section?: Partial<TelegramSection>;
}

/** Platform, gateway and channel; hold it with `await using`. */
export class Harness extends ChannelBench<TelegramPlatform> {
  private constructor(
    clock: ManualClock,
    platform: TelegramPlatform,
    section: TelegramSection,
    folder: TemporaryFolder,
  ) {
    super({
      name: "telegram",
      clock,
      platform,
      folder,
      create: (context) => createChannel(section, context),
      chatId: () => String(ALICE),
      commands: COMMANDS,
    });
  }

  /** Starts all; the channel is on its way to be connected. */
  static async start({ section }: HarnessOptions = {}): Promise<Harness> {
    const clock = new ManualClock();
    const platform = TelegramPlatform.start({ clock });
    platform.addPerson(ALICE, { firstName: "Alice", username: "alice" });
    platform.addPerson(1_002, { firstName: "Bo" });
    platform.addGroup(GROUP, { isForum: true });
    const parsed = manifest.schema(z).parse({
      enabled: true,
      token: platform.token,
      allowFrom: ["*"],
      reactEmoji: null,
      apiRoot: platform.url,
    });
    return new Harness(clock, platform, { ...parsed, ...section }, await temporaryFolder());
  }

  /** Starts all and waits until the channel is ready. */
  static async ready(options: HarnessOptions = {}): Promise<Harness> {
    const harness = await Harness.start(options);
    await harness.isReady();
    return harness;
  }
}
