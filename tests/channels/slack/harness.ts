/**
 * A Slack channel at a simulated workspace.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { ChannelCommand } from "../../../channels/channel.ts";
import { manifest } from "../../../channels/slack/manifest.ts";
import { createChannel } from "../../../channels/slack/mod.ts";
import { SlackPlatform } from "../../simulators/slack_server.ts";
import { ChannelBench } from "../../support/channel_bench.ts";
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

/** Workspace, gateway and channel; hold it with `await using`. */
export class Harness extends ChannelBench<SlackPlatform> {
  private constructor(
    clock: ManualClock,
    platform: SlackPlatform,
    section: JsonObject,
    folder: TemporaryFolder,
  ) {
    const parsed = manifest.schema(z).parse(section);
    super({
      name: "slack",
      clock,
      platform,
      folder,
      create: (context) => createChannel(parsed, context),
      chatId: () => ALICE_CHAT,
      commands: COMMANDS,
    });
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
    return new Harness(clock, platform, {
      enabled: true,
      allowFrom: ["*"],
      botToken: platform.botToken,
      appToken: platform.appToken,
      apiUrl: platform.apiUrl,
      ...section,
    }, await temporaryFolder());
  }

  /** Starts all and waits until the channel is ready. */
  static async ready(section: JsonObject = {}): Promise<Harness> {
    const harness = await Harness.start(section);
    await harness.isReady();
    return harness;
  }
}
