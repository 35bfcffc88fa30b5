/**
 * The WhatsApp channel as a linked device; runs in a Worker of its own.
 * @module
 */

import type { Channel, ChannelContext } from "../channel.ts";
import { connect } from "./adapters/connection.ts";
import { DeviceStore } from "./adapters/device_store.ts";
import { loadLibrary } from "./adapters/library.ts";
import { MediaServers } from "./adapters/media_server.ts";
import { WhatsAppChannel } from "./channel.ts";
import type { WhatsAppSection } from "./manifest.ts";

export type { WhatsAppSection } from "./manifest.ts";

/** Makes the channel; the library is loaded when it first runs. */
export function createChannel(section: WhatsAppSection, context: ChannelContext): Channel {
  const { clock } = context;
  const { serverUrl } = section;
  return new WhatsAppChannel(section, context, {
    openStore: (folder) => DeviceStore.open(folder),
    files: new MediaServers(serverUrl),
    load: async () => {
      const library = await loadLibrary();
      return (options) => connect({ ...options, library, serverUrl, clock });
    },
  });
}
