/**
 * The channels there are. A new one is a folder and a line here.
 * @module
 */

import { z } from "zod";
import type { JsonValue } from "../actors/kernel/json.ts";
import type { Channel, ChannelContext, ChannelFactory } from "./channel.ts";
import { manifest as feishu } from "./feishu/manifest.ts";
import type { ChannelManifest, ChannelSection } from "./manifest.ts";
import type { ChannelSetup } from "./setup.ts";

/** A channel, known but not loaded. */
export interface ChannelEntry {
  readonly manifest: ChannelManifest;
  /** Loads the channel's module and gives what makes the channel from its section. */
  readonly load: (section: JsonValue) => Promise<(context: ChannelContext) => Channel>;
  /** Loads what sets the channel up from the terminal; undefined where the file says it all. */
  readonly loadSetup: (() => Promise<ChannelSetup>) | undefined;
}

/** All channels that run in a Worker, by name. */
export const channelEntries: readonly ChannelEntry[] = [
  channelEntry(
    feishu,
    () => import("./feishu/mod.ts"),
    async () => (await import("./feishu/setup/mod.ts")).setup,
  ),
];

/** The entry of a channel, if there is one. */
export function findChannel(name: string): ChannelEntry | undefined {
  return channelEntries.find(({ manifest }) => manifest.name === name);
}

function channelEntry<Section extends ChannelSection>(
  manifest: ChannelManifest<Section>,
  load: () => Promise<{ readonly createChannel: ChannelFactory<Section> }>,
  loadSetup?: () => Promise<ChannelSetup>,
): ChannelEntry {
  return {
    manifest,
    loadSetup,
    load: async (section) => {
      const { createChannel } = await load();
      const parsed = manifest.schema(z).parse(section);
      return (context) => createChannel(parsed, context);
    },
  };
}
