import assert from "node:assert/strict";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";

Deno.test("The gateway answers a direct message in a card that grows and closes", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start([{
    steps: [
      { type: "text", text: "你好, Alice! " },
      { type: "pause", until: "more" },
      { type: "text", text: "Here is the rest. 😀" },
    ],
  }]);
  await using gateway = await GatewayProcess.start(home, {
    model,
    feishu: platform,
    feishuSection: { doneEmoji: "OK" },
  });
  await platform.connected({ timeoutMs: 30_000 });

  const said = platform.userSays({ text: "hello there" });
  await said.acknowledged;
  const chat = () => platform.chat("ou_alice");
  await until(() => chat().fromBot[0]?.text.includes("Alice") === true, { what: "a growing card" });
  const growing = chat().fromBot[0];
  assert.equal(growing?.card?.isStreaming, true);
  assert.deepEqual(platform.message(said.messageId).reactions.map(({ emoji }) => emoji), [
    "THUMBSUP",
  ]);
  model.release("more");
  await until(() => chat().fromBot[0]?.card?.isStreaming === false, { what: "a closed card" });
  await until(() => platform.message(said.messageId).reactions[0]?.emoji === "OK", {
    what: "the done reaction",
  });

  const [answer, ...others] = chat().fromBot;
  assert.deepEqual(others, []);
  assert.equal(answer?.text, "你好, Alice! Here is the rest. 😀");
  assert.ok((answer?.texts.length ?? 0) >= 2, "the card grew");
  assert.equal(platform.message(said.messageId).reactions.length, 1);
  assert.deepEqual(await home.transcript("feishu_ou_alice"), [
    "user: hello there",
    "assistant: 你好, Alice! Here is the rest. 😀",
  ]);
  assert.equal(lastUserText(await model.request(0)).endsWith("hello there"), true);
  assert.equal(await gateway.stop(), 0);
  assert.doesNotMatch(gateway.output, /test-secret|sk-test/);
});

Deno.test("Two chats are isolated, and share a session when it is unified", async () => {
  for (const unifiedSession of [false, true]) {
    await using home = await GatewayHome.make();
    await using platform = await FeishuPlatform.start();
    await using model = await ModelServer.start((request) => {
      const users = request.body.messages.filter(({ role }) => role === "user").length;
      return say(`I know ${users} message(s)`);
    });
    await using gateway = await GatewayProcess.start(home, {
      model,
      feishu: platform,
      defaults: { unifiedSession },
    });
    await platform.connected({ timeoutMs: 30_000 });
    for (const openId of ["ou_alice", "ou_bob"]) {
      await platform.userSays({ openId, text: `hi from ${openId}` }).acknowledged;
      await until(() => platform.chat(openId).fromBot[0]?.card?.isStreaming === false);
    }
    assert.deepEqual(
      ["ou_alice", "ou_bob"].map((id) => platform.chat(id).fromBot.map(({ text }) => text)),
      [["I know 1 message(s)"], [`I know ${unifiedSession ? 2 : 1} message(s)`]],
    );
    const stem = unifiedSession ? "unified_default" : "feishu_ou_bob";
    assert.equal((await home.transcript(stem)).length, unifiedSession ? 4 : 2);
    await gateway.stop();
  }
});
