/**
 * A WhatsApp channel at a simulated platform.
 * @module
 */

import { z } from "zod";
import { manifest } from "../../../channels/whatsapp/manifest.ts";
import { createChannel, type WhatsAppSection } from "../../../channels/whatsapp/mod.ts";
import { linkDevice, trust } from "../../simulators/whatsapp/linked_device.ts";
import type { Phone } from "../../simulators/whatsapp/phone.ts";
import { WhatsAppPlatform } from "../../simulators/whatsapp_server.ts";
import { ChannelBench, type ChannelBenchOptions } from "../../support/channel_bench.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

/** A group that Alice is in. */
export const GROUP = "120363000000000001@g.us";

/** Platform, gateway and channel; hold it with `await using`. */
export class Harness extends ChannelBench<WhatsAppPlatform> {
  /** Who may write. */
  readonly alice: Phone;

  private constructor(options: ChannelBenchOptions<WhatsAppPlatform>, alice: Phone) {
    super(options);
    this.alice = alice;
  }

  /** Starts all and waits until the channel is ready. */
  static async ready(section: Partial<WhatsAppSection> = {}): Promise<Harness> {
    const platform = new WhatsAppPlatform();
    trust(platform);
    const alice = platform.addPerson("15551230001", { lid: "800000000000001", name: "Alice" });
    platform.addGroup(GROUP, "Team", [alice]);
    const folder = await temporaryFolder();
    linkDevice(platform, `${folder.path}/state`);
    const parsed = manifest.schema(z).parse({
      enabled: true,
      allowFrom: ["+1 (555) 123-0001"],
      reactEmoji: null,
      serverUrl: platform.url,
    });
    const harness = new Harness({
      ...{ name: "whatsapp", clock: new ManualClock(), platform, folder, commands: [] },
      create: (context) => createChannel({ ...parsed, ...section }, context),
      chatId: () => alice.phoneJid,
    }, alice);
    await harness.isReady();
    return harness;
  }
}
