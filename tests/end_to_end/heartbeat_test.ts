import assert from "node:assert/strict";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import { startInProcess } from "../support/gateway_in_process.ts";
import { configFor, GatewayHome } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

Deno.test("A heartbeat looks, has done what is due, and tells the person who last wrote", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    say("Hello!"),
    callTool("heartbeat", { action: "run", tasks: "Look at the plants", numbers: [1] }),
    say("The plants are dry."),
    callTool("evaluate_notification", { should_notify: true }),
    ...Array.from({ length: 50 }, () => callTool("heartbeat", { action: "skip" })),
  ]);
  const config = configFor({
    model,
    defaults: { unifiedSession: true },
    config: { gateway: { port: 0, heartbeat: { intervalS: 1 } } },
  });
  await using gateway = await startInProcess(home, config);
  await gateway.probe.say("anna", "Hi");
  await until(() => gateway.probe.textsOf("anna").includes("Hello!"), { timeoutMs: 20_000 });
  await Deno.writeTextFile(`${home.path}/workspace/HEARTBEAT.md`, "## Active Tasks\n- plants\n");
  await until(() => gateway.probe.textsOf("anna").length > 1, { timeoutMs: 20_000 });
  assert.deepEqual(gateway.probe.textsOf("anna"), ["Hello!", "The plants are dry."]);
});
