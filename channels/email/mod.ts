/**
 * The e-mail channel: a mailbox read by IMAP, mails sent by SMTP; runs in a Worker of its own.
 * @module
 */

import type { Channel, ChannelContext } from "../channel.ts";
import { openServers } from "./adapters/servers.ts";
import { EmailChannel } from "./channel.ts";
import { EmailCredentialsError } from "./errors.ts";
import { type EmailSection, manifest } from "./manifest.ts";

export type { EmailSection } from "./manifest.ts";

/** Makes the channel; the libraries are loaded when it first runs or delivers. */
export function createChannel(section: EmailSection, context: ChannelContext): Channel {
  return new EmailChannel(section, context, () => {
    const [missing] = manifest.missing(section);
    if (missing !== undefined) throw new EmailCredentialsError(missing);
    return openServers(section);
  });
}
