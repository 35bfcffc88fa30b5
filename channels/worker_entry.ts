/**
 * The module of every channel's Worker: hosts the channel that it is told to.
 * @module
 */

import { z } from "zod";
import type { JsonValue } from "../actors/kernel/json.ts";
import { runWorker } from "../actors/kernel/worker_runtime.ts";
import type { ChannelCommand } from "./channel.ts";
import { ChannelHost, type ChannelHostMessage } from "./channel_host.ts";
import type { FromChannel } from "./host_protocol.ts";
import { findChannel, pluginEntry } from "./registry.ts";
import { forwardLogs } from "./worker_logs.ts";

/** What a channel's Worker is told at its start. */
export interface ChannelWorkerInit {
  /** Name of the channel's entry. */
  readonly channel: string;
  /** Runtime name of this instance. */
  readonly name: string;
  readonly mediaFolder: string;
  /** For its keys, if it keeps some. */
  readonly stateFolder?: string;
  readonly workspaceFolder: string;
  readonly commands: readonly ChannelCommand[];
  /** The channel's section of the config. */
  readonly section: JsonValue;
}

const initSchema: z.ZodType<ChannelWorkerInit> = z.object({
  channel: z.string(),
  name: z.string(),
  mediaFolder: z.string(),
  stateFolder: z.string().exactOptional(),
  workspaceFolder: z.string(),
  commands: z.array(
    z.object({ name: z.string(), argument: z.string().nullable(), description: z.string() }),
  ),
  section: z.json(),
});

runWorker<ChannelHostMessage, FromChannel>((context, gateway, init) => {
  const { channel, section, ...options } = initSchema.parse(init);
  const entry = findChannel(channel) ?? pluginEntry(channel);
  forwardLogs(gateway);
  const load = () => entry.load(section);
  return new ChannelHost(context, { ...options, gateway, load });
});
