/**
 * The WebSocket channel: a server for programs and pages; runs in a Worker of its own.
 * @module
 */

import { join } from "node:path";
import type { Channel, ChannelContext } from "../channel.ts";
import { newSecret } from "./adapters/chance.ts";
import { ChatFiles } from "./adapters/chat_files.ts";
import { lookAtFile, openServed } from "./adapters/served_file.ts";
import { listen } from "./adapters/server.ts";
import { WebsocketChannel, type WebsocketWorld } from "./channel.ts";
import type { WebsocketSection } from "./manifest.ts";

export type { WebsocketSection } from "./manifest.ts";

/** Below the media folder, which is all that the channel may write. */
const CHATS_FOLDER = "chats";

/** Makes the channel; what listens is loaded when it first runs. */
export function createChannel(section: WebsocketSection, context: ChannelContext): Channel {
  return new WebsocketChannel(section, context, worldOf(context));
}

/** The world as it is. */
export function worldOf(
  { mediaFolder, workspaceFolder }: Pick<ChannelContext, "mediaFolder" | "workspaceFolder">,
): WebsocketWorld {
  const folders = [mediaFolder, ...(workspaceFolder === undefined ? [] : [workspaceFolder])];
  return {
    listen,
    store: new ChatFiles(join(mediaFolder, CHATS_FOLDER)),
    newSecret,
    lookAtFile,
    openFile: (path) => openServed(path, folders),
  };
}
