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
import type { SettingTexts } from "../actors/config/descriptions/setting_text.ts";
import { importForeign } from "../actors/kernel/adapters/foreign_module.ts";
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
  /** Loads what is said of each key of its section. */
  readonly loadTexts: () => Promise<SettingTexts>;
}

/** All channels that run in a Worker, by name. */
export const channelEntries: readonly ChannelEntry[] = [
  channelEntry(feishu, {
    load: () => import("./feishu/mod.ts"),
    loadSetup: async () => (await import("./feishu/setup/mod.ts")).setup,
    loadTexts: async () => (await import("./feishu/setting_texts.ts")).texts,
  }),
  channelEntry(telegram, {
    load: () => import("./telegram/mod.ts"),
    loadSetup: async () => (await import("./telegram/setup/mod.ts")).setup,
    loadTexts: async () => (await import("./telegram/setting_texts.ts")).texts,
  }),
  channelEntry(discord, {
    load: () => import("./discord/mod.ts"),
    loadSetup: async () => (await import("./discord/setup/mod.ts")).setup,
    loadTexts: async () => (await import("./discord/setting_texts.ts")).texts,
  }),
  channelEntry(slack, {
    load: () => import("./slack/mod.ts"),
    loadSetup: async () => (await import("./slack/setup/mod.ts")).setup,
    loadTexts: async () => (await import("./slack/setting_texts.ts")).texts,
  }),
  channelEntry(email, {
    load: () => import("./email/mod.ts"),
    loadSetup: async () => (await import("./email/setup/mod.ts")).setup,
    loadTexts: async () => (await import("./email/setting_texts.ts")).texts,
  }),
  channelEntry(websocket, {
    load: () => import("./websocket/mod.ts"),
    loadTexts: async () => (await import("./websocket/setting_texts.ts")).texts,
  }),
  channelEntry(dingtalk, {
    load: () => import("./dingtalk/mod.ts"),
    loadSetup: async () => (await import("./dingtalk/setup/mod.ts")).setup,
    loadTexts: async () => (await import("./dingtalk/setting_texts.ts")).texts,
  }),
  channelEntry(qq, {
    load: () => import("./qq/mod.ts"),
    loadSetup: async () => (await import("./qq/setup/mod.ts")).setup,
    loadTexts: async () => (await import("./qq/setting_texts.ts")).texts,
  }),
  channelEntry(whatsapp, {
    load: () => import("./whatsapp/mod.ts"),
    loadSetup: async () => (await import("./whatsapp/setup/mod.ts")).setup,
    loadTexts: async () => (await import("./whatsapp/setting_texts.ts")).texts,
  }),
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
    loadTexts: () => Promise.resolve({}),
    load: async (section) => {
      const parsed = manifest.schema(z).parse(section);
      const loaded: unknown = await importForeign(parsed.module);
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

/** How the parts of a channel are loaded. */
interface ChannelParts<Section extends ChannelSection> extends Pick<ChannelEntry, "loadTexts"> {
  readonly load: () => Promise<{ readonly createChannel: ChannelFactory<Section> }>;
  readonly loadSetup?: () => Promise<ChannelSetup>;
}

function channelEntry<Section extends ChannelSection>(
  manifest: ChannelManifest<Section>,
  { load, loadSetup, loadTexts }: ChannelParts<Section>,
): ChannelEntry {
  return {
    manifest,
    loadSetup,
    loadTexts,
    load: async (section) => {
      const { createChannel } = await load();
      const parsed = manifest.schema(z).parse(section);
      return (context) => createChannel(parsed, context);
    },
  };
}
