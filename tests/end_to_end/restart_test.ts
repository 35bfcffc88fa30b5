import assert from "node:assert/strict";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { ModelServer, say } from "../simulators/model_server.ts";

Deno.test("A restart that a chat asks for comes back, says so once, and answers what came meanwhile", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start([say("Good to be back.")]);
  await using gateway = await GatewayProcess.start(home, {
    model,
    feishu: platform,
    config: { owners: ["feishu:ou_alice"] },
  });
  await platform.connected({ timeoutMs: 30_000 });
  const texts = () => platform.chat("ou_alice").fromBot.map(({ text }) => text);
  await platform.userSays({ text: "/restart" }).acknowledged;
  await until(() => texts().some((text) => /^Restart completed in/.test(text)), {
    what: "the word after the restart",
    timeoutMs: 60_000,
  });
  assert.match(texts()[0] ?? "", /^Restarting/);
  await platform.userSays({ text: "hello again" }).acknowledged;
  await until(() => texts().includes("Good to be back."), {
    what: "an answer",
    timeoutMs: 30_000,
  });
  assert.equal(texts().length, 3);
  assert.equal(gateway.output.split("\n").filter((line) => line === "Ready").length, 2);
  assert.equal(await gateway.stop(), 0, "signals and the exit code are passed on");
});

Deno.test("A restart is refused to those who are no owners", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start([]);
  await using gateway = await GatewayProcess.start(home, {
    model,
    feishu: platform,
    config: { owners: ["feishu:ou_boss"] },
  });
  await platform.connected({ timeoutMs: 30_000 });
  await platform.userSays({ text: "/restart" }).acknowledged;
  await until(() => platform.chat("ou_alice").fromBot.length === 1);
  assert.match(platform.chat("ou_alice").fromBot[0]?.text ?? "", /Only an owner/);
  assert.equal(await gateway.stop(), 0);
  assert.equal(gateway.output.split("\n").filter((line) => line === "Ready").length, 1);
});
