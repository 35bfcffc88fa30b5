/**
 * An MCP server, tried.
 * @module
 */

import type { LoadedConfig } from "../../actors/config/load_config.ts";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { type McpConnector, mcpEntries, type McpEntry } from "../../actors/gateway/mcp_servers.ts";
import { asError } from "../../actors/kernel/errors.ts";
import { McpError } from "../../actors/tools/mcp/connection.ts";
import { Connections } from "../../actors/tools/mcp/connections.ts";
import { serverTools } from "../../actors/tools/mcp/server_tools.ts";
import { serverPrefixes } from "../../actors/tools/mcp/tool_names.ts";

/** What a trial found. */
export type McpTrial =
  | {
    readonly name: string;
    readonly ok: true;
    readonly product: string;
    readonly tools: readonly { readonly name: string; readonly description: string }[];
    readonly notes: readonly string[];
  }
  | { readonly name: string; readonly ok: false; readonly problem: string };

/** What a trial needs. */
export interface TrialGround {
  readonly loaded: LoadedConfig;
  readonly connector: McpConnector;
  readonly signal: AbortSignal;
}

/** Connects to a server, lists its tools, and lets go of it. */
export async function tryServer(
  entry: McpEntry,
  { loaded, connector, signal }: TrialGround,
): Promise<McpTrial> {
  const { name } = entry;
  const { clock } = systemWorld();
  await using connections = new Connections(connector.connectTo(entry), clock);
  try {
    const listener = { ended: () => {}, changed: () => {} };
    const { connection, listing } = await connections.open(listener, signal);
    const prefixes = serverPrefixes(mcpEntries(loaded).map((other) => other.name));
    const { tools, notes } = serverTools(listing, {
      server: name,
      prefix: prefixes.get(name) ?? "",
      others: [...prefixes.values()],
      enabledTools: entry.config.enabledTools,
      needs: {},
      timeoutMs: entry.timeoutMs,
      use: () => Promise.reject(new McpError("mcp_refused", "this is only a trial")),
    });
    const shown = tools.map(({ name, description }) => ({ name, description }));
    return { name, ok: true, product: connection.product, tools: shown, notes };
  } catch (error) {
    return { name, ok: false, problem: mcpProblem(error, name) };
  }
}

/** What went wrong with a server, in one line, and what to do. */
export function mcpProblem(error: unknown, server: string): string {
  const { message } = asError(error);
  const advice = error instanceof McpError && error.code === "mcp_sign_in"
    ? ` (mcp login ${server})`
    : "";
  return `${message.replaceAll(/[\s\p{Cc}]+/gu, " ")}${advice}`;
}
