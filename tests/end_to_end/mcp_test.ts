import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import { GatewayHome, GatewayProcess, runTroupe, writeConfig } from "../support/gateway_process.ts";
import { noneLeft, processesOf } from "../support/killed_owner.ts";
import { lying } from "../support/mcp_bench.ts";
import { until } from "../support/until.ts";

/** Deno, on the server that tells the truth, with words by which its processes are known. */
function server(lie: string, mark: string) {
  const { command, args } = lying(lie);
  return { command, args: [...args, mark] };
}

Deno.test("The model calls a server's tool, which the turn waited for", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("mcp_friend_echo", { text: "over here" }),
    say("Heard."),
  ]);
  const mcpServers = { friend: lying("none"), broken: lying("die_connect") };
  await writeConfig(home, { model, config: { tools: { exec: { enable: false }, mcpServers } } });
  const { stdout, stderr } = await runTroupe(["agent", "-m", "call my friend"], home.path);
  assert.equal(stdout, "Heard.\n", stderr);
  const [first, second] = model.requests;
  const tools = z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) }))
    .parse(first?.body["tools"]);
  const names = tools.map((tool) => tool.function.name);
  assert.deepEqual(names.filter((name) => name.startsWith("mcp_")), [
    "mcp_friend_echo",
    "mcp_friend_look",
  ]);
  const results = (second?.body.messages ?? []).filter(({ role }) => role === "tool");
  assert.match(
    String(results[0]?.content),
    /^⟦Untrusted content from MCP server friend: .*echo: over here/s,
  );
});

Deno.test("A gateway tells of its servers, under the printed flags, and none outlives it", async () => {
  await using home = await GatewayHome.make();
  const mark = join(home.path, "mark");
  const mcpServers = {
    friend: server("none", mark),
    stays: server("stays", mark),
    broken: { command: "no-such-program" },
    half: {},
  };
  const options = { config: { tools: { exec: { enable: false }, mcpServers } } };
  await writeConfig(home, options);
  const { stdout } = await runTroupe(["permissions", "--json"], home.path);
  const { command } = z.object({ command: z.array(z.string()) }).parse(JSON.parse(stdout));
  const program = command.slice(0, -1);
  await using narrow = await GatewayProcess.start(home, { ...options, program });
  await until(() => /^MCP server friend: 2 tools/m.test(narrow.output), { timeoutMs: 20_000 });
  await until(() => /^MCP server stays: 2 tools/m.test(narrow.output), { timeoutMs: 20_000 });
  assert.match(narrow.output, /^MCP server half: off: it has neither a command nor a url$/m);
  assert.match(narrow.output, /^MCP server broken: not there, tried again later: .*no program/m);
  assert.equal((await narrow.health())["status"], "ok");
  const { stdout: listed } = await runTroupe(["mcp", "list"], home.path);
  assert.match(listed, /^friend: stdio, .*: ready, lying none 1, 2 tools$/m);
  assert.equal(await narrow.stop(), 0);
  await noneLeft(mark);
});

Deno.test("A killed server comes back, and a killed gateway takes all with it, whatever they do", async () => {
  await using home = await GatewayHome.make();
  const mark = join(home.path, "mark");
  const mcpServers = { friend: server("none", mark), stays: server("stays", mark) };
  const options = { config: { tools: { exec: { enable: false }, mcpServers } } };
  await using gateway = await GatewayProcess.start(home, options);
  await until(() => gateway.output.match(/^MCP server \w+: 2 tools/gm)?.length === 2, {
    timeoutMs: 20_000,
  });
  const lines = await processesOf(mark);
  assert.equal(lines.length, 2);
  for (const line of lines) Deno.kill(Number(line.split(" ")[0]), "SIGKILL");
  const health = z.looseObject({
    mcp: z.record(z.string(), z.looseObject({ state: z.string(), losses: z.number() })),
  });
  await until(async () => {
    const { mcp } = health.parse(await gateway.health());
    return Object.values(mcp).every(({ state, losses }) => state === "ready" && losses === 1);
  }, { timeoutMs: 20_000 });
  assert.equal((await processesOf(mark)).length, 2);
  await gateway.kill();
  await noneLeft(mark);
});
