/**
 * The Slack channel; runs in a Worker of its own.
 * @module
 */

import type { Channel, ChannelContext } from "../channel.ts";
import { slackLink } from "./adapters/link.ts";
import { SlackChannel } from "./channel.ts";
import type { SlackSection } from "./manifest.ts";

export type { SlackSection } from "./manifest.ts";

/** Makes the channel; nothing is sent before it runs or delivers. */
export function createChannel(section: SlackSection, context: ChannelContext): Channel {
  return new SlackChannel(section, context, slackLink(section));
}
