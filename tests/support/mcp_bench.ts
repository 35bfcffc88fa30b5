/**
 * MCP servers in tests, wired as in a gateway, without the gateway.
 * @module
 */

import { fileURLToPath } from "node:url";
import { loadConfig, type LoadedConfig } from "../../actors/config/load_config.ts";
import { systemWorld } from "../../actors/gateway/adapters/system_world.ts";
import { McpConnector } from "../../actors/gateway/mcp_servers.ts";
import { type WiredMcp, wireMcp } from "../../actors/gateway/mcp_wiring.ts";
import type { Clock } from "../../actors/kernel/clock.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { ActorSystem } from "../../actors/kernel/system.ts";
import { ToolRegistry } from "../../actors/tools/registry.ts";
import type { ToolContext, ToolResult } from "../../actors/tools/tool.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary_folder.ts";
import { toolBench } from "./tool_context.ts";

const LYING = fileURLToPath(new URL("../fixtures/mcp/lying_server.ts", import.meta.url));

/** The entry of a server that lies; `none` tells the truth. */
export function lying(lie: string): { readonly command: string; readonly args: string[] } {
  const flags = ["--no-check", "--cached-only", "--allow-env"];
  return { command: Deno.execPath(), args: ["run", ...flags, LYING, lie] };
}

/** Servers that run, and the tools they give. */
export interface McpBench extends AsyncDisposable {
  readonly loaded: LoadedConfig;
  readonly registry: ToolRegistry;
  readonly mcp: WiredMcp;
  /** What the gateway's start prints. */
  readonly lines: readonly string[];
  /** Names as models see them. */
  readonly names: readonly string[];
  /** Calls a tool as a turn does. */
  readonly call: (name: string, args?: JsonObject, signal?: AbortSignal) => Promise<ToolResult>;
  /** The same, as text. */
  readonly say: (
    name: string,
    args?: JsonObject,
    report?: ToolContext["report"],
  ) => Promise<string>;
}

/** What a test may choose. */
export interface McpBenchOptions {
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string>>;
  readonly tools?: JsonObject;
  /** Waits until all are connected to, or have failed. @default true */
  readonly settles?: boolean;
}

/** A configuration with servers, in a home of its own. */
export async function mcpConfig(
  { path }: TemporaryFolder,
  mcpServers: JsonObject,
  { env = {}, tools = {} }: Pick<McpBenchOptions, "env" | "tools"> = {},
): Promise<LoadedConfig> {
  return await loadConfig({
    source: {
      readTextFile: () => Promise.resolve(JSON.stringify({ tools: { ...tools, mcpServers } })),
      env: { TROUPE_HOME: path, ...env },
      homeDir: path,
      cwd: path,
    },
    manifests: [],
  });
}

/** Starts the servers. */
export async function mcpBench(
  mcpServers: JsonObject,
  { clock, settles = true, ...options }: McpBenchOptions = {},
): Promise<McpBench> {
  await using opening = new AsyncDisposableStack();
  const home = opening.use(await temporaryFolder());
  const loaded = await mcpConfig(home, mcpServers, options);
  const world = { ...systemWorld(), ...(clock !== undefined && { clock }) };
  const connector = opening.use(
    new McpConnector({ loaded: () => loaded, version: "0.0.0-test", world }),
  );
  const system = opening.use(new ActorSystem(world));
  const registry = new ToolRegistry(world.clock, []);
  const lines: string[] = [];
  const mcp = wireMcp({
    ...{ loaded, connector },
    spawn: (definition) => system.spawn(definition),
    stop: (actor) => system.stop(actor),
    offerTools: (group, tools) => registry.replaceGroup(group, tools),
    print: (line) => void lines.push(line),
  });
  const bench = opening.use(await toolBench());
  if (settles) await mcp.settled(new AbortController().signal);
  const run = (name: string, args: JsonObject = {}, scene: Partial<ToolContext> = {}) =>
    registry.run(name, args, { ...bench.context, ...scene });
  const call: McpBench["call"] = (name, args, signal) =>
    run(name, args, signal === undefined ? {} : { signal });
  const owned = opening.move();
  return {
    ...{ loaded, registry, mcp, lines, call },
    get names() {
      return registry.definitions().map(({ name }) => name);
    },
    say: async (name, args, report) => {
      const { content } = await run(name, args, { report });
      return typeof content === "string" ? content : JSON.stringify(content);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
