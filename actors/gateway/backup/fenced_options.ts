/**
 * What a gateway starts with inside a fence: its door and its health endpoint, and nothing that acts.
 * @module
 */

import type { LoadedConfig } from "../../config/load_config.ts";
import { StartError } from "../errors.ts";
import type { GatewayOptions } from "../gateway_options.ts";
import { readFence } from "./adapters/fence_file.ts";
import { type Fence, fenceLine, refusing } from "./fence.ts";

/** The options that count, and the fence if there is one. */
export interface Fenced {
  readonly fence: Fence | null;
  readonly options: GatewayOptions;
}

/**
 * Looks for a fence.
 *
 * @throws {StartError} `fenced` for a single errand, which would answer
 */
export async function withinFence(asked: GatewayOptions): Promise<Fenced> {
  const { locations } = asked.loaded;
  const fence = await readFence(locations.stateFolder);
  if (fence === null) return { fence, options: asked };
  if (!asked.isWhole) throw new StartError("fenced", `Cannot answer: ${fenceLine(fence)}`);
  asked.print(fenceLine(fence));
  const { edits: _edits, onRestart: _onRestart, handlers = [], ...rest } = asked;
  return {
    fence,
    options: {
      ...rest,
      loaded: withoutActing(asked.loaded),
      localChannels: [],
      handlers: refusing(handlers),
    },
  };
}

/** Without channels, and without what starts programs and modules of others. */
function withoutActing(loaded: LoadedConfig): LoadedConfig {
  const { config } = loaded;
  return {
    ...loaded,
    config: {
      ...config,
      hooks: [],
      channels: { ...config.channels, enabled: {} },
      tools: { ...config.tools, mcpServers: {}, plugins: [] },
    },
  };
}
