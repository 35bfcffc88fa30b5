import assert from "node:assert/strict";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { type ModelReply, ModelServer } from "../simulators/model_server.ts";

/** An answer that costs 1,000 tokens in and 100 out. */
function dear(text: string): ModelReply {
  const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
  return {
    steps: [{ type: "text", text }, { type: "finish", reason: "stop" }, { type: "usage", usage }],
  };
}

Deno.test("A chat whose budget is spent is told, survives kill -9, and goes on once the key is raised", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start([dear("First answer."), dear("Second answer.")]);
  const agents = (tokens: number) => ({
    defaults: { model: "test-model", provider: "custom" },
    budgets: { perSession: { tokens } },
    prices: { "test-model": { input: 2, output: 10 } },
  });
  const texts = () => platform.chat("ou_alice").fromBot.map(({ text }) => text);
  const shows = (pattern: RegExp) =>
    until(() => texts().some((text) => pattern.test(text)), {
      what: `${pattern} in ${JSON.stringify(texts())}`,
      timeoutMs: 30_000,
    });
  {
    await using gateway = await GatewayProcess.start(home, {
      model,
      feishu: platform,
      config: { agents: agents(1_000), owners: ["feishu:ou_alice"] },
    });
    await platform.connected({ timeoutMs: 30_000 });
    await platform.userSays({ text: "hello" }).acknowledged;
    await shows(/First answer/);
    await platform.userSays({ text: "and now?" }).acknowledged;
    await shows(/I have to pause.*budget of this session is used up.*perSession\.tokens/);
    await shows(/A budget is spent/);
    await platform.userSays({ text: "/usage" }).acknowledged;
    await shows(/This session: 1000 in \/ 100 out, 1 call, \$0\.0030[^]*Paused:/);
    assert.equal(model.requests.length, 1);
    await gateway.kill();
  }
  await using gateway = await GatewayProcess.start(home, {
    model,
    feishu: platform,
    config: { agents: agents(10_000) },
  });
  await shows(/Second answer/);
  assert.equal(model.requests.length, 2);
  const counted = (pattern: RegExp) => texts().filter((text) => pattern.test(text)).length;
  assert.equal(counted(/I have to pause/), 1);
  assert.equal(counted(/A budget is spent.*perSession/), 1, "the owner hears of it, once");
  assert.equal(await gateway.stop(), 0);
});
