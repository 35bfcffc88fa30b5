/**
 * The mark that tells Claude's servers up to where a prompt is worth keeping.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";

/** Laid over a block or a tool. */
export const MARK: JsonObject = { cache_control: { type: "ephemeral" } };

/** The last tool that is no MCP server's: those come and go, our own stay. */
export function lastOwnTool(names: readonly string[]): number {
  return names.findLastIndex((name) => !name.startsWith("mcp_"));
}
