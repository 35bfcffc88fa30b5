import assert from "node:assert/strict";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

Deno.test("A goal goes on after its gateway was killed in the middle of its second turn", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start([
    callTool("list_dir", { path: "." }),
    say("One is sorted."),
    { steps: [{ type: "stall" }] },
    callTool("goal", { status: "reached", note: "all sorted" }),
    say("Both are sorted."),
  ]);
  const setUp = { model, feishu: platform };
  const texts = () => platform.chat("ou_alice").fromBot.map(({ text }) => text);
  {
    await using gateway = await GatewayProcess.start(home, setUp);
    await platform.connected({ timeoutMs: 30_000 });
    await platform.userSays({ text: "/goal Sort both" }).acknowledged;
    await until(() => model.requests.length === 3, { what: "its second turn" });
    await gateway.kill();
  }
  await using gateway = await GatewayProcess.start(home, setUp);
  await until(() => texts().some((text) => /^The goal is reached/.test(text)), {
    what: "the end of the goal",
    timeoutMs: 60_000,
  });
  const told = texts().filter((text) => !text.startsWith("The goal"));
  assert.deepEqual(told, ["One is sorted.", "Both are sorted."], "nothing is said twice");
  assert.equal(await gateway.stop(), 0);
});
