/**
 * Channels of others: a section that names a module describes one, without a manifest of its own.
 * @module
 */

import type { z } from "zod";
import type { ChannelManifest, ChannelSection } from "./channel_manifest.ts";

/** The section of a channel that is loaded from outside. Its other keys are its own business. */
export interface PluginChannelSection extends ChannelSection {
  /** `npm:` specifier, absolute path or URL of a module that exports `createChannel`. */
  readonly module: string;
  /** `host:port` pairs that its Worker may reach. */
  readonly hosts: readonly string[];
}

const NAME = /^[a-z][a-z0-9-]*$/;
const MODULE = /^(npm:|file:\/\/|https:\/\/|[/~]|[A-Za-z]:[/\\])/;
const HOST = /^(\[[0-9a-fA-F:]+\]|[\w-][\w.-]*):\d{1,5}$/;

/** The manifest that a section with a `module` stands for. */
export function pluginManifest(name: string): ChannelManifest<PluginChannelSection> {
  return {
    name,
    displayName: name,
    schema: (zod: typeof z) =>
      zod.looseObject({
        enabled: zod.boolean().default(false),
        allowFrom: zod.array(zod.string()).default([]),
        module: zod.string().regex(MODULE, {
          error: 'is neither "npm:<package>", a whole path nor a URL',
        }),
        hosts: zod.array(
          zod.string().regex(HOST, {
            error: 'is no host with its port, such as "example.org:443"',
          }),
        ).default([]),
      }),
    hosts: ({ hosts }) => hosts,
    secrets: [],
    missing: () =>
      NAME.test(name) ? [] : [`channels.${name} is no name for a channel: use a-z, 0-9 and "-"`],
  };
}

/** Whether a section, as it is once it is read, is that of a plug-in. */
export function isPluginSection(section: ChannelSection): section is PluginChannelSection {
  return "module" in section && typeof section.module === "string" &&
    "hosts" in section && Array.isArray(section.hosts);
}
