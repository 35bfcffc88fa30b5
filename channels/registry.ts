/**
 * The channels there are. A new one is a folder and a line here.
 * @module
 */

import { z } from "zod";
import {
  isPluginSection,
  type PluginChannelSection,
  pluginManifest,
} from "../actors/config/plugin_channel.ts";
import type { JsonValue } from "../actors/kernel/json.ts";
import type { Channel, ChannelContext, ChannelFactory } from "./channel.ts";
import { manifest as dingtalk } from "./dingtalk/manifest.ts";
import { manifest as discord } from "./discord/manifest.ts";
import { manifest as email } from "./email/manifest.ts";
import { manifest as feishu } from "./feishu/manifest.ts";
import type { ChannelManifest, ChannelSection } from "./manifest.ts";
import { manifest as qq } from "./qq/manifest.ts";
import type { ChannelSetup } from "./setup.ts";
import { manifest as slack } from "./slack/manifest.ts";
import { manifest as telegram } from "./telegram/manifest.ts";
import { manifest as websocket } from "./websocket/manifest.ts";
import { manifest as whatsapp } from "./whatsapp/manifest.ts";

/** A channel, known but not loaded. */
export interface ChannelEntry {
  readonly manifest: ChannelManifest;
  /** Loads the channel's module and gives what makes the channel from its section. */
  readonly load: (section: JsonValue) => Promise<(context: ChannelContext) => Channel>;
  /** Loads what sets the channel up from the terminal; undefined where the file says it all. */
  readonly loadSetup: (() => Promise<ChannelSetup>) | undefined;
}

/** All channels that run in a Worker, by name. */
export const channelEntries: readonly ChannelEntry[] = [
  channelEntry(
    feishu,
    () => import("./feishu/mod.ts"),
    async () => (await import("./feishu/setup/mod.ts")).setup,
  ),
  channelEntry(
    telegram,
    () => import("./telegram/mod.ts"),
    async () => (await import("./telegram/setup/mod.ts")).setup,
  ),
  channelEntry(
    discord,
    () => import("./discord/mod.ts"),
    async () => (await import("./discord/setup/mod.ts")).setup,
  ),
  channelEntry(
    slack,
    () => import("./slack/mod.ts"),
    async () => (await import("./slack/setup/mod.ts")).setup,
  ),
  channelEntry(
    email,
    () => import("./email/mod.ts"),
    async () => (await import("./email/setup/mod.ts")).setup,
  ),
  channelEntry(websocket, () => import("./websocket/mod.ts")),
  channelEntry(
    dingtalk,
    () => import("./dingtalk/mod.ts"),
    async () => (await import("./dingtalk/setup/mod.ts")).setup,
  ),
  channelEntry(
    qq,
    () => import("./qq/mod.ts"),
    async () => (await import("./qq/setup/mod.ts")).setup,
  ),
  channelEntry(
    whatsapp,
    () => import("./whatsapp/mod.ts"),
    async () => (await import("./whatsapp/setup/mod.ts")).setup,
  ),
];

/** What the configuration has to know of them. */
export const channelManifests: readonly ChannelManifest[] = channelEntries.map(({ manifest }) =>
  manifest
);

/**
 * All channels under a configuration: ours, and those whose section names a module. None of those
 * takes the name of one of ours.
 */
export function entriesUnder(
  enabled: Readonly<Record<string, ChannelSection>>,
): readonly ChannelEntry[] {
  const plugins = Object.entries(enabled)
    .filter(([name, section]) => findChannel(name) === undefined && isPluginSection(section))
    .map(([name]) => pluginEntry(name));
  return [...channelEntries, ...plugins];
}

/** A channel of others; its module is loaded in its Worker only. */
export function pluginEntry(name: string): ChannelEntry {
  const manifest = pluginManifest(name);
  return {
    manifest,
    loadSetup: undefined,
    load: async (section) => {
      const parsed = manifest.schema(z).parse(section);
      const loaded: unknown = await import(parsed.module);
      if (!hasFactory(loaded)) {
        throw new TypeError(`Cannot load "${parsed.module}": it exports no createChannel`);
      }
      return (context) => loaded.createChannel(parsed, context);
    },
  };
}

function hasFactory(
  loaded: unknown,
): loaded is { readonly createChannel: ChannelFactory<PluginChannelSection> } {
  return typeof loaded === "object" && loaded !== null && "createChannel" in loaded &&
    typeof loaded.createChannel === "function";
}

/** The entry of a channel, if there is one. */
export function findChannel(name: string): ChannelEntry | undefined {
  return channelEntries.find(({ manifest }) => manifest.name === name);
}

function channelEntry<Section extends ChannelSection>(
  manifest: ChannelManifest<Section>,
  load: () => Promise<{ readonly createChannel: ChannelFactory<Section> }>,
  loadSetup?: () => Promise<ChannelSetup>,
): ChannelEntry {
  return {
    manifest,
    loadSetup,
    load: async (section) => {
      const { createChannel } = await load();
      const parsed = manifest.schema(z).parse(section);
      return (context) => createChannel(parsed, context);
    },
  };
}
