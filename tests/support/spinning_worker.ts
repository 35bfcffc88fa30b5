/**
 * A channel's Worker that stops answering: a delivery of "spin" keeps its thread busy as long
 * as a file exists. Nothing else can end it.
 * @module
 */

import { z } from "zod";
import { runWorker } from "../../actors/kernel/worker_runtime.ts";
import { ChannelHost, type ChannelHostMessage } from "../../channels/channel_host.ts";
import type { FromChannel } from "../../channels/host_protocol.ts";
import { ProbeChannel } from "./probe_channel.ts";

/** Ends a spin that nobody ends. */
const SPIN_MS_MAX = 30_000;
/** How often it looks at the file. */
const LOOK_MS = 10;

/** Keeps the thread busy as long as the file is there. */
function spinWhile(path: string): void {
  const endMs = performance.now() + SPIN_MS_MAX;
  while (performance.now() < endMs && exists(path)) {
    const lookMs = performance.now() + LOOK_MS;
    while (performance.now() < lookMs);
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

runWorker<ChannelHostMessage, FromChannel>((context, gateway, spinFile) =>
  new ChannelHost(context, {
    name: "spinning",
    mediaFolder: "/media",
    gateway,
    load: () =>
      Promise.resolve((channel) =>
        new ProbeChannel(channel, {
          found: "arrived",
          onDeliver: ({ text }) => {
            if (text === "spin") spinWhile(z.string().parse(spinFile));
          },
        })
      ),
  })
);
