/**
 * `channels status`: which channels there are, which are on, and how they are.
 * @module
 */

import type { ChannelStatus } from "../../../actors/gateway/control_requests.ts";
import { instancesOf } from "../../manifest.ts";
import { channelEntries } from "../../registry.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { askRunning } from "./status.ts";

/** Flags of the command. */
export interface ChannelsStatusFlags extends LoadFlags {
  readonly json?: boolean | undefined;
}

/** One channel, and its bots if it is on. */
interface ChannelLine {
  readonly name: string;
  readonly displayName: string;
  readonly enabled: boolean;
  readonly bots: readonly BotLine[];
}

/** One bot. `state` is null while no gateway runs. */
interface BotLine {
  readonly name: string;
  readonly state: string | null;
  readonly detail: string;
}

/** Lists all channels by name; 0 whether they are well or not. */
export async function channelsStatusCommand(
  flags: ChannelsStatusFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const running = await askRunning(loaded);
  const { enabled } = loaded.config.channels;
  const channels = channelEntries
    .toSorted((one, other) => one.manifest.name < other.manifest.name ? -1 : 1)
    .map(({ manifest }): ChannelLine => {
      const { name, displayName } = manifest;
      const section = enabled[name];
      const bots = section === undefined ? [] : instancesOf(manifest, section)
        .map((instance) => botLine(instance, running?.health.channels[instance.name]));
      return { name, displayName, enabled: section !== undefined, bots };
    });
  if (flags.json === true) terminal.write(`${JSON.stringify(channels, null, 2)}\n`);
  else for (const line of channels.flatMap(textOf)) terminal.write(`${line}\n`);
  return 0;
}

function botLine(
  { name, skipped }: { readonly name: string; readonly skipped: string | null },
  status: ChannelStatus | undefined,
): BotLine {
  if (skipped !== null) return { name, state: "skipped", detail: skipped };
  if (status === undefined) return { name, state: null, detail: "no gateway runs" };
  return { name, state: status.state, detail: status.detail };
}

function textOf({ name, displayName, enabled, bots }: ChannelLine): readonly string[] {
  return [
    `${displayName} (${name}): ${enabled ? "on" : "off"}`,
    ...bots.map((bot) => `  ${bot.name}: ${bot.state ?? "enabled"} (${bot.detail})`),
  ];
}
