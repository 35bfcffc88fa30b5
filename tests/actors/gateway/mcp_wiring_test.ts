import assert from "node:assert/strict";
import type { LoadedConfig } from "../../../actors/config/load_config.ts";
import type { McpServerConfig } from "../../../actors/config/schema/mcp_server.ts";
import { lying, mcpBench } from "../../support/mcp_bench.ts";

function withServers(
  loaded: LoadedConfig,
  mcpServers: Readonly<Record<string, McpServerConfig | undefined>>,
): LoadedConfig {
  const servers = Object.entries(mcpServers).flatMap(([name, server]) =>
    server === undefined ? [] : [[name, server] as const]
  );
  const tools = { ...loaded.config.tools, mcpServers: Object.fromEntries(servers) };
  return { ...loaded, config: { ...loaded.config, tools } };
}

Deno.test("An edited list of servers leaves those alone that are the same", async () => {
  const { signal } = new AbortController();
  await using bench = await mcpBench({
    stays: lying("none"),
    changes: lying("none"),
    goes: lying("none"),
    off: {},
  });
  const { mcp, loaded, lines } = bench;
  const { stays, changes, goes } = loaded.config.tools.mcpServers;
  assert.ok(changes !== undefined && bench.names.includes("mcp_goes_echo"));

  const before = lines.length;
  await mcp.change(withServers(loaded, {
    stays,
    changes: { ...changes, enabledTools: ["echo"] },
    comes: goes,
  }));
  await mcp.settled(signal);

  const names = ["mcp_changes_echo", "mcp_comes_echo", "mcp_comes_look"];
  assert.deepEqual(bench.names.toSorted(), [...names, "mcp_stays_echo", "mcp_stays_look"]);
  const servers = await mcp.report();
  assert.deepEqual(Object.keys(servers).toSorted(), ["changes", "comes", "stays"]);
  assert.ok(Object.values(servers).every(({ state }) => state === "ready"));
  const told = lines.slice(before).map((line) => /^MCP server (\w+)/.exec(line)?.[1]);
  assert.ok(!told.includes("stays"), "it was not connected to again");
  assert.ok(lines.includes("MCP server goes: no longer configured"));
  assert.match(await bench.say("mcp_comes_echo", { text: "here" }), /here/);
});

Deno.test("Servers can come where there were none, and all can go", async () => {
  const { signal } = new AbortController();
  await using bench = await mcpBench({ only: lying("none") });
  const { mcp, loaded } = bench;
  await mcp.change(withServers(loaded, {}));
  assert.deepEqual([bench.names, await mcp.report()], [[], {}]);
  await mcp.change(loaded);
  await mcp.settled(signal);
  assert.deepEqual(bench.names, ["mcp_only_echo", "mcp_only_look"]);
});
