/**
 * Whether MCP servers start, or answer, and have tools.
 * @module
 */

import { McpConnector, mcpEntries, type McpEntry } from "../../../../actors/gateway/mcp_servers.ts";
import { tryServer } from "../../mcp_trial.ts";
import { VERSION } from "../../version.ts";
import {
  type Check,
  fault,
  type Finding,
  ok,
  type ReadyScene,
  skipped,
  withConfig,
} from "../finding.ts";

/** Connects to each; one that runs for the gateway is started a second time for a moment. */
export const mcpCheck: Check = {
  name: "MCP servers",
  timeoutMs: 45_000,
  run: withConfig(async (scene, signal) => {
    const entries = mcpEntries(scene.loaded);
    if (entries.length === 0) return [ok("none is configured")];
    const { loaded, world } = scene;
    await using connector = new McpConnector({ loaded: () => loaded, version: VERSION, world });
    return await Promise.all(entries.map((entry) => tried(entry, connector, { scene, signal })));
  }),
};

async function tried(
  entry: McpEntry,
  connector: McpConnector,
  { scene, signal }: { readonly scene: ReadyScene; readonly signal: AbortSignal },
): Promise<Finding> {
  const { name, kind } = entry;
  if (kind.type === "off") return ok(`${name}: ${kind.problem}`);
  if (scene.isOffline && kind.type !== "stdio") {
    return skipped(`${name}: not asked, as --offline says`);
  }
  const trial = await tryServer(entry, { loaded: scene.loaded, connector, signal });
  return trial.ok
    ? ok(`${name}: ${trial.tools.length} tools (${trial.product})`)
    : fault(`${name}: ${trial.problem}`, `mcp test ${name} tells more`);
}
