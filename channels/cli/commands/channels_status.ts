/**
 * `channels status`: which channels there are, which are on, how those are, and what they may do.
 * @module
 */

import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import { type WorkerRights, workerRights } from "../../../actors/gateway/channel_wiring.ts";
import type { ChannelStatus } from "../../../actors/gateway/control_requests.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import { type ChannelInstance, instancesOf } from "../../manifest.ts";
import { type ChannelEntry, entriesUnder } from "../../registry.ts";
import type { Terminal } from "../adapters/terminal.ts";
import { loadAndPrepare, type LoadFlags } from "../load.ts";
import { duration } from "../status_text.ts";
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

/** One bot. */
interface BotLine {
  readonly name: string;
  /** Null while no gateway runs. */
  readonly state: string | null;
  readonly detail: string;
  /** Null while no gateway runs, and for a bot that does not run. */
  readonly restarts: number | null;
  readonly lastEvent: ChannelStatus["last_event"];
  readonly lastError: string | null;
  /** Null for a bot that does not run. */
  readonly rights: WorkerRights | null;
}

/** Lists all channels by name; 0 whether they are well or not. */
export async function channelsStatusCommand(
  flags: ChannelsStatusFlags,
  terminal: Terminal,
): Promise<number> {
  const loaded = await loadAndPrepare(flags, terminal, { logs: false });
  const running = await askRunning(loaded);
  const { enabled } = loaded.config.channels;
  const channels = entriesUnder(enabled)
    .toSorted((one, other) => one.manifest.name < other.manifest.name ? -1 : 1)
    .map((entry): ChannelLine => {
      const { name, displayName } = entry.manifest;
      const section = enabled[name];
      const bots = section === undefined ? [] : instancesOf(entry.manifest, section)
        .map((bot) => botLine(entry, bot, { loaded, status: running?.health.channels[bot.name] }));
      return { name, displayName, enabled: section !== undefined, bots };
    });
  if (flags.json === true) terminal.write(`${JSON.stringify(channels, null, 2)}\n`);
  else for (const line of channels.flatMap(textOf)) terminal.write(`${line}\n`);
  return 0;
}

function botLine(
  entry: ChannelEntry,
  bot: ChannelInstance,
  { loaded, status }: { readonly loaded: LoadedConfig; readonly status: ChannelStatus | undefined },
): BotLine {
  const { name, skipped } = bot;
  const unknown = { restarts: null, lastEvent: null, lastError: null };
  if (skipped !== null) {
    return { name, state: "skipped", detail: skipped, ...unknown, rights: null };
  }
  const rights = workerRights(entry, bot, loaded.locations);
  if (status === undefined) {
    return { name, state: null, detail: "no gateway runs", ...unknown, rights };
  }
  const { state, detail, restarts, last_event: lastEvent, last_error: lastError } = status;
  return { name, state, detail, restarts, lastEvent, lastError, rights };
}

function textOf({ name, displayName, enabled, bots }: ChannelLine): readonly string[] {
  return [`${displayName} (${name}): ${enabled ? "on" : "off"}`, ...bots.flatMap(botText)];
}

function botText(bot: BotLine): readonly string[] {
  const { name, state, detail, restarts, lastEvent, lastError, rights } = bot;
  const happened = [
    lastEvent === null ? null : `last event: ${eventText(lastEvent)}`,
    restarts === null ? null : `restarts: ${restarts}`,
    lastError === null || lastError === detail ? null : `last error: ${lastError}`,
  ].filter((part) => part !== null).join(", ");
  return [
    `  ${name}: ${state ?? "enabled"} (${detail})`,
    ...(happened === "" ? [] : [`    ${happened}`]),
    ...(rights === null ? [] : rightsText(rights)),
  ];
}

function eventText({ what, at }: NonNullable<ChannelStatus["last_event"]>): string {
  const seconds = Math.max(0, (systemWorld().clock.now() - Date.parse(at)) / 1_000);
  return `${what.replaceAll("_", " ")} ${duration(seconds)} ago`;
}

function rightsText({ net, read, write, env }: WorkerRights): readonly string[] {
  return [
    `    reaches ${net.join(", ") || "nothing"}`,
    `    reads ${read.join(", ")}; writes ${write.join(", ")}` +
    (env ? "; sees the environment without its secrets" : ""),
  ];
}
