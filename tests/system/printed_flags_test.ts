import assert from "node:assert/strict";
import { z } from "zod";
import { GatewayHome, GatewayProcess, runTroupe, writeConfig } from "../support/gateway_process.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";

const printed = z.object({ command: z.array(z.string()) });

Deno.test.each(["filtered", "none"])(
  "Commands run in bubblewrap under the printed flags, with network %s",
  async (network) => {
    await using home = await GatewayHome.make();
    await using model = await ModelServer.start([
      callTool("exec", { command: "echo from inside; id -un" }),
      say("Tried."),
    ]);
    const options = { model, config: { tools: { exec: { sandbox: "bwrap", network } } } };
    await writeConfig(home, options);
    const { stdout, stderr } = await runTroupe(["permissions", "--json"], home.path);
    assert.equal(stderr, "");
    const program = printed.parse(JSON.parse(stdout)).command.slice(0, -1);
    await using gateway = await GatewayProcess.start(home, { ...options, program });
    assert.match(await gateway.toolsLine(), /shell: bwrap: bubblewrap/);
    assert.doesNotMatch(gateway.output, /Rights:/);
    const asked = await runTroupe(["agent", "-m", "try"], home.path, program);
    assert.equal(asked.stdout, "Tried.\n", asked.stderr);
    const [result = ""] = (model.requests.at(-1)?.body.messages ?? [])
      .filter(({ role }) => role === "tool").map(({ content }) => String(content));
    assert.match(result, /from inside/);
    assert.equal(await gateway.stop(), 0);
    assert.doesNotMatch(gateway.output, /NotCapable|Requires \w+ access/);
  },
);
