/**
 * The QQ channel on the open platform's gateway; runs in a Worker of its own.
 * @module
 */

import type { Channel, ChannelContext } from "../channel.ts";
import { openNetwork } from "./adapters/network.ts";
import { QqChannel } from "./channel.ts";
import type { QqSection } from "./manifest.ts";

export type { QqSection } from "./manifest.ts";

/** Makes the channel. */
export function createChannel(section: QqSection, context: ChannelContext): Channel {
  return new QqChannel(section, context, openNetwork({ ...section, signal: context.signal }));
}
