/**
 * The Discord channel; runs in a Worker of its own.
 * @module
 */

import type { Channel, ChannelContext } from "../channel.ts";
import { openNetwork } from "./adapters/network.ts";
import { DiscordChannel } from "./channel.ts";
import type { DiscordSection } from "./manifest.ts";

export type { DiscordSection } from "./manifest.ts";

/** Makes the channel; nothing is sent before it runs or delivers. */
export function createChannel(section: DiscordSection, context: ChannelContext): Channel {
  const link = openNetwork({ ...section, signal: context.signal });
  return new DiscordChannel(section, context, link);
}
