/**
 * The Feishu (Lark) channel on the official SDK; runs in a Worker of its own.
 * @module
 */

import type { Channel, ChannelContext } from "../channel.ts";
import { openSdkLink } from "./adapters/sdk.ts";
import { FeishuChannel } from "./channel.ts";
import { FeishuCredentialsError } from "./errors.ts";
import { baseUrlOf, type FeishuSection, manifest } from "./manifest.ts";

export type { FeishuSection } from "./manifest.ts";

/** Makes the channel; the SDK is loaded when it first runs or delivers. */
export function createChannel(section: FeishuSection, context: ChannelContext): Channel {
  return new FeishuChannel(section, context, () => {
    const [missing] = manifest.missing(section);
    if (missing !== undefined) throw new FeishuCredentialsError(section.appId, missing);
    return openSdkLink({
      ...section,
      baseUrl: baseUrlOf(section.domain),
      clock: context.clock,
      signal: context.signal,
    });
  });
}
