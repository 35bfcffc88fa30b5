/**
 * The whole configuration: what `config.json` says once it is read, checked and completed.
 * @module
 */

import { z } from "zod";
import type { ChannelSection } from "./channel_manifest.ts";
import type { JsonValue } from "../kernel/json.ts";
import {
  type AgentsConfig,
  agentsSchema,
  type FallbackModelConfig,
  modelPresetsSchema,
} from "./schema/agents.ts";
import { channelsSchema, type CommonChannelsConfig } from "./schema/channels.ts";
import { type HookConfig, hooksSchema } from "./schema/hooks.ts";
import { type ProvidersConfig, providersSchema } from "./schema/providers.ts";
import { type ApiConfig, apiSchema, type GatewayConfig, gatewaySchema } from "./schema/servers.ts";
import { type ToolsConfig, toolsSchema } from "./schema/tools.ts";

/** Section `channels`. */
export interface ChannelsConfig extends CommonChannelsConfig {
  /** Sections of the enabled channels by name, as their manifest's schema gives them. */
  readonly enabled: Readonly<Record<string, ChannelSection>>;
  /** All other sections, untouched: disabled ones and those of channels that are not known. */
  readonly others: Readonly<Record<string, JsonValue>>;
}

/** All settings. Frozen, complete, and free of placeholders. */
export interface Config {
  /**
   * People who receive alarms, answer approvals and may use the commands of owners, each as
   * `channel:sender`.
   */
  readonly owners: readonly string[];
  readonly agents: AgentsConfig;
  /** Models under names of one's own, which sessions can choose. */
  readonly modelPresets: Readonly<Record<string, FallbackModelConfig>>;
  readonly channels: ChannelsConfig;
  readonly providers: ProvidersConfig;
  readonly api: ApiConfig;
  readonly gateway: GatewayConfig;
  readonly tools: ToolsConfig;
  /** Asked and told in this order. */
  readonly hooks: readonly HookConfig[];
}

/** The configuration before the sections of the channels are read. */
export interface CoreConfig extends Omit<Config, "channels"> {
  readonly channels: CommonChannelsConfig;
}

/** Schema of everything but the sections of single channels. */
export const coreSchema: z.ZodType<CoreConfig> = z.object({
  owners: z.array(
    z.string().regex(/^[^:\s]+:\S/, { error: 'is not of the form "channel:sender"' }),
  ).default([]),
  agents: agentsSchema.prefault({}),
  modelPresets: modelPresetsSchema.default({}),
  channels: channelsSchema.prefault({}),
  providers: providersSchema.default({}),
  api: apiSchema.prefault({}),
  gateway: gatewaySchema.prefault({}),
  tools: toolsSchema.prefault({}),
  hooks: hooksSchema.default([]),
});
