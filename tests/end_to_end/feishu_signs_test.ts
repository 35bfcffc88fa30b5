import assert from "node:assert/strict";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { ModelServer, say } from "../simulators/model_server.ts";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

Deno.test("A message shows that it waits until its turn begins, and what the model thinks is folded", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start([
    {
      steps: [
        { type: "reasoning", text: "They ask one." },
        { type: "text", text: "first" },
        { type: "pause", until: "more" },
      ],
    },
    say("second"),
  ]);
  await using gateway = await GatewayProcess.start(home, {
    model,
    feishu: platform,
    feishuSection: { queuedEmoji: "OneSecond", doneEmoji: "OK", showReasoning: true },
    defaults: { maxConcurrentRequests: 1 },
  });
  await platform.connected({ timeoutMs: 30_000 });
  const one = platform.userSays({ text: "one" });
  await until(() => platform.chat("ou_alice").fromBot[0]?.text.includes("first") === true);
  const two = platform.userSays({ text: "two", chatId: "oc_team", mentions: ["bot"] });
  const signs = (id: string) => platform.message(id).reactions.map(({ emoji }) => emoji).join();
  await until(() => signs(two.messageId) === "OneSecond", { what: "the sign of waiting" });
  assert.equal(signs(one.messageId), "THUMBSUP");
  model.release("more");
  await until(() => signs(one.messageId) === "OK" && signs(two.messageId) === "OK", {
    what: `both done: ${signs(one.messageId)} ${signs(two.messageId)}`,
  });
  const [card] = platform.chat("ou_alice").fromBot;
  assert.equal(card?.text, "💭\nThey ask one.\nfirst");
  assert.equal(platform.chat("oc_team").fromBot[0]?.text, "second");
  assert.equal(await gateway.stop(), 0);
});
