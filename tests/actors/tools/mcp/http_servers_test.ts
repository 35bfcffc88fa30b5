import assert from "node:assert/strict";
import { freePort } from "../../../support/free_port.ts";
import { mcpBench } from "../../../support/mcp_bench.ts";
import { until } from "../../../support/until.ts";
import { serverModule } from "./_servers.ts";

Deno.test.each([["streamableHttp", "mcp"], ["sse", "sse"]] as const)(
  "The reference server works over %s, and takes its time over progress",
  async (transport, path) => {
    const port = freePort();
    await using _server = startReference(transport, port);
    const url = `http://127.0.0.1:${port}/${path}`;
    await using remote = await mcpBench({ r: { url, toolTimeout: 2 } });
    await until(async () => {
      await remote.mcp.settled(new AbortController().signal);
      return remote.names.includes("mcp_r_echo");
    }, { timeoutMs: 90_000 });
    assert.match(await remote.say("mcp_r_echo", { message: "hello" }), /Echo: hello/);
    const slow = { duration: 2.4, steps: 8 }; // longer than the limit, each step far shorter
    const told = await remote.say("mcp_r_trigger-long-running-operation", slow);
    assert.match(told, /completed/);
  },
);

/** Starts it as a server over HTTP; disposing ends it. */
function startReference(transport: string, port: number): AsyncDisposable {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", serverModule("everything"), transport],
    env: { PORT: String(port) },
    ...{ stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}
