/**
 * The Telegram channel on the Bot API; runs in a Worker of its own.
 * @module
 */

import type { Channel, ChannelContext } from "../channel.ts";
import { openBotApi } from "./adapters/bot_api.ts";
import { TelegramChannel } from "./channel.ts";
import { TelegramCredentialsError } from "./errors.ts";
import { manifest, type TelegramSection } from "./manifest.ts";

export type { TelegramSection } from "./manifest.ts";

/** Makes the channel; the library is loaded when it first runs or delivers. */
export function createChannel(section: TelegramSection, context: ChannelContext): Channel {
  return new TelegramChannel(section, context, () => {
    const [missing] = manifest.missing(section);
    if (missing !== undefined) throw new TelegramCredentialsError(missing);
    return openBotApi(section);
  });
}
