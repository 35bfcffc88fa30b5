/**
 * A DingTalk channel at a simulated platform.
 * @module
 */

import { z } from "zod";
import { manifest } from "../../../channels/dingtalk/manifest.ts";
import { createChannel, type DingTalkSection } from "../../../channels/dingtalk/mod.ts";
import { DingTalkPlatform } from "../../simulators/dingtalk_server.ts";
import { ChannelBench } from "../../support/channel_bench.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";

/** Alice, who may write. */
export const ALICE = "alice01";
/** A group with the robot in it. */
export const GROUP = "cidGroup==";

/** Platform, gateway and channel; hold it with `await using`. */
export class Harness extends ChannelBench<DingTalkPlatform> {
  private constructor(
    clock: ManualClock,
    platform: DingTalkPlatform,
    section: DingTalkSection,
    folder: TemporaryFolder,
  ) {
    super({
      name: "dingtalk",
      clock,
      platform,
      folder,
      create: (context) => createChannel(section, context),
      chatId: () => ALICE,
      commands: [],
    });
  }

  /** Starts all; the channel is on its way to be connected. */
  static async start(section: Partial<DingTalkSection> = {}): Promise<Harness> {
    const clock = new ManualClock();
    const platform = DingTalkPlatform.start({ clock });
    platform.addPerson(ALICE, "Alice");
    platform.addPerson("bo02", "Bo");
    platform.addGroup(GROUP, { title: "Team" });
    const parsed = manifest.schema(z).parse({
      enabled: true,
      clientId: platform.clientId,
      clientSecret: platform.clientSecret,
      allowFrom: ["*"],
      reactEmoji: null,
      apiBase: platform.url,
      oapiBase: platform.url,
    });
    return new Harness(clock, platform, { ...parsed, ...section }, await temporaryFolder());
  }

  /** Starts all and waits until the channel is ready. */
  static async ready(section: Partial<DingTalkSection> = {}): Promise<Harness> {
    const harness = await Harness.start(section);
    await harness.isReady();
    return harness;
  }
}
