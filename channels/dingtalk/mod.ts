/**
 * The DingTalk channel; runs in a Worker of its own.
 * @module
 */

import type { Channel, ChannelContext } from "../channel.ts";
import { fetchLink } from "./adapters/fetch_link.ts";
import { DingTalkChannel } from "./channel.ts";
import type { DingTalkSection } from "./manifest.ts";

export type { DingTalkSection } from "./manifest.ts";

/** Makes the channel; nothing is sent before it runs or delivers. */
export function createChannel(section: DingTalkSection, context: ChannelContext): Channel {
  return new DingTalkChannel(section, context, fetchLink(section));
}
