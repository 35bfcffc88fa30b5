/**
 * Channels as the core wants them: platforms in Workers, the terminal in this process.
 * @module
 */

import { join } from "node:path";
import { getLogger } from "@logtape/logtape";
import type { Channel, ChannelContext } from "../../channels/channel.ts";
import { ChannelHost, type ChannelHostMessage } from "../../channels/channel_host.ts";
import type { FromChannel, ToChannel } from "../../channels/host_protocol.ts";
import { type ChannelInstance, type ChannelSection, instancesOf } from "../../channels/manifest.ts";
import { type ChannelEntry, entriesUnder } from "../../channels/registry.ts";
import { isPluginSection, type PluginChannelSection } from "../config/plugin_channel.ts";
import type { Locations } from "../config/locations.ts";
import type { Config } from "../config/schema.ts";
import type { Inbound } from "../journal/journal.ts";
import { asJson } from "../kernel/json.ts";
import { workerActor } from "../kernel/worker_actor.ts";
import { folderOfModule, moduleUrl, packageFile } from "./adapters/module_places.ts";
import { mayReadWholeEnvironment } from "./adapters/environment.ts";
import type { CoreChannel } from "./core.ts";
import { commandMenu } from "../session/command_table.ts";
import type { TurnListener } from "../session/turn_events.ts";
import type { TranscribeFolder } from "./speech.ts";

const logger = getLogger(["troupe", "gateway", "channels"]);

/** A channel that runs in this process. */
export interface LocalChannel {
  readonly name: string;
  readonly create: (context: ChannelContext) => Channel;
  /** Who hears of the turn that a message of its begins. @default nobody */
  readonly listenerOf?: (home: Inbound) => TurnListener | undefined;
}

/** The module of all channels' Workers. */
export const WORKER_ENTRY: URL = new URL("../../channels/worker_entry.ts", import.meta.url);

/** What platforms are started with. */
export interface PlatformOptions {
  readonly config: Config;
  readonly locations: Locations;
  /** Replaced by tests that break Workers. */
  readonly workerEntry: URL;
  readonly transcribeFolder: TranscribeFolder;
}

/**
 * The enabled platforms, each bot in a Worker of its own that may reach its hosts and its media
 * folder only.
 */
export function platformChannels(options: PlatformOptions): readonly CoreChannel[] {
  return entriesUnder(options.config.channels.enabled).flatMap((entry) => {
    const section = options.config.channels.enabled[entry.manifest.name];
    if (section === undefined) return [];
    return instancesOf(entry.manifest, section).flatMap((instance) => {
      if (instance.skipped === null) return [platformChannel(entry, instance, options)];
      logger.warn("{reason}", { reason: instance.skipped });
      return [];
    });
  });
}

/** What a channel's Worker may do, and no more. */
export interface WorkerRights {
  /** `host:port` pairs. */
  readonly net: string[];
  readonly read: string[];
  readonly write: string[];
  /** The whole environment, from which secrets have been taken. */
  readonly env: boolean;
}

/** Where a channel keeps its keys, if it keeps some. @param name of the instance */
export function channelStateFolder(
  { stateFolder }: Pick<Locations, "stateFolder">,
  name: string,
): string {
  return join(stateFolder, "channels", name);
}

/** The rights of one bot's Worker: its platform's hosts, the workspace to read, its own folders. */
export function workerRights(
  { manifest }: Pick<ChannelEntry, "manifest">,
  { name, section }: Pick<ChannelInstance, "name" | "section">,
  locations: Pick<Locations, "mediaFolder" | "stateFolder" | "workspace">,
): WorkerRights {
  const mediaFolder = join(locations.mediaFolder, name);
  const own = manifest.keepsState === true ? [channelStateFolder(locations, name)] : [];
  return {
    net: [...manifest.hosts(section)],
    read: [
      mediaFolder,
      ...own,
      locations.workspace,
      ...modulePlaces(section),
      ...(manifest.reads?.(section) ?? []),
      ...(manifest.curiousPackage === undefined ? [] : packageFile(manifest.curiousPackage)),
    ],
    write: [mediaFolder, ...own],
    env: (manifest.needsEnvironment ?? false) && mayReadWholeEnvironment(),
  };
}

function platformChannel(
  { manifest }: ChannelEntry,
  { name, section }: ChannelInstance,
  { locations, workerEntry, transcribeFolder }: PlatformOptions,
): CoreChannel {
  const mediaFolder = join(locations.mediaFolder, name);
  return {
    name,
    idempotencyMs: manifest.idempotencyMs ?? 0,
    sparesMessages: manifest.sparesMessages ?? false,
    transcribe: transcribeFolder(mediaFolder),
    showsReasoning: section.showReasoning === true,
    revision: JSON.stringify(section),
    startHost: (spawn, gateway) =>
      spawn(workerActor<ToChannel, FromChannel>({
        name: "host",
        entry: workerEntry,
        permissions: workerRights({ manifest }, { name, section }, locations),
        init: asJson({
          channel: manifest.name,
          name,
          mediaFolder,
          ...(manifest.keepsState === true && { stateFolder: channelStateFolder(locations, name) }),
          workspaceFolder: locations.workspace,
          commands: commandMenu(),
          section: withModuleUrl(section),
        }),
        parent: gateway,
        supervision: { restart: "never" },
      })),
  };
}

/** The folder of a plug-in's module, which its Worker loads. */
function modulePlaces(section: ChannelSection): readonly string[] {
  return isPluginSection(section) ? folderOfModule(moduleUrl(section.module)) : [];
}

function withModuleUrl(section: ChannelSection): ChannelSection {
  if (!isPluginSection(section)) return section;
  const plugin: PluginChannelSection = { ...section, module: moduleUrl(section.module) };
  return plugin;
}

/** A channel of this process; where its platform has no key, a send in doubt is not repeated. */
export function localChannel({ name, create }: LocalChannel, mediaRoot: string): CoreChannel {
  const mediaFolder = join(mediaRoot, name);
  return {
    name,
    idempotencyMs: 0,
    startHost: (spawn, gateway) =>
      spawn<ChannelHostMessage>({
        name: "host",
        supervision: { restart: "never" },
        create: (context) => {
          const load = () => Promise.resolve(create);
          const commands = commandMenu();
          return new ChannelHost(context, { name, mediaFolder, commands, gateway, load });
        },
      }),
  };
}
