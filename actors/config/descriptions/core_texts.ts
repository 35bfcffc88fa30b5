/**
 * What all keys of the configuration are for, those of single channels aside.
 * @module
 */

import { agentsTexts } from "./agents.ts";
import { channelsTexts } from "./channels.ts";
import { hooksTexts } from "./hooks.ts";
import { mcpServersTexts } from "./mcp_servers.ts";
import { providersTexts } from "./providers.ts";
import { serversTexts } from "./servers.ts";
import type { SettingTexts } from "./setting_text.ts";
import { toolsTexts } from "./tools.ts";

/** By the way from the root. */
export const coreTexts: SettingTexts = {
  ...agentsTexts,
  ...channelsTexts,
  ...providersTexts,
  ...serversTexts,
  ...toolsTexts,
  ...mcpServersTexts,
  ...hooksTexts,
};
