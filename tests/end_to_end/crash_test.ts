import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { callTools, ModelServer, say } from "../simulators/model_server.ts";

Deno.test("A turn that is killed in the middle of a tool call goes on at the next start", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start([
    callTools([
      { name: "list_dir", parameters: { path: "." } },
      { name: "exec", parameters: { command: "echo run >> runs; while [ ! -e go ]; do :; done" } },
    ], { text: "Let me look." }),
    say("All ", "done."),
  ]);
  const options = { model, feishu: platform };
  const runs = join(home.workspace, "runs");
  const tools = () => Deno.readTextFile(runs).catch(() => "");
  {
    await using gateway = await GatewayProcess.start(home, options);
    await platform.connected({ timeoutMs: 30_000 });
    await platform.userSays({ text: "please run it" }).acknowledged;
    await until(async () => await tools() === "run\n", { what: "the tool call" });
    await until(() => platform.chat("ou_alice").fromBot.length === 1, { what: "the card" });
    await gateway.kill();
  }
  await Deno.writeTextFile(join(home.workspace, "go"), ""); // what the shell left behind ends
  await using gateway = await GatewayProcess.start(home, options);
  const answer = () => platform.chat("ou_alice").fromBot.at(-1);
  await until(() => answer()?.card?.isStreaming === false, {
    what: "the answer after the restart",
    timeoutMs: 30_000,
  });
  assert.match(answer()?.text ?? "", /All done\.$/);
  assert.equal(platform.chat("ou_alice").fromBot.length, 1);
  assert.equal(await tools(), "run\n");
  assert.equal(await gateway.stop(), 0);

  const lines = (await home.session("feishu_ou_alice")).filter(({ role }) => role !== undefined);
  assert.deepEqual(lines.map(({ role }) => role), [
    "user",
    "assistant",
    "tool",
    "tool",
    "assistant",
  ]);
  assert.equal(lines[0]?.["content"], "please run it");
  const calls = lines[1]?.["tool_calls"];
  assert.ok(Array.isArray(calls));
  const results = lines.slice(2, 4).map((line) => [line["tool_call_id"], line["content"]]);
  assert.deepEqual(results.map(([id]) => id), ["call_list_dir", "call_exec"]);
  assert.match(String(results[1]?.[1]), /^Error:.*interrupted/);
  assert.equal(model.requests.length, 2);
});

Deno.test("Four chats at once never make more than three model calls, first come first served", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start(() => ({
    steps: [{ type: "text", text: "a" }, { type: "pause", until: "go" }, {
      type: "text",
      text: "b",
    }],
  }));
  await using gateway = await GatewayProcess.start(home, { model, feishu: platform });
  await platform.connected({ timeoutMs: 30_000 });
  const people = ["ou_a", "ou_b", "ou_c", "ou_d"];
  for (const [index, openId] of people.entries()) {
    await platform.userSays({ openId, text: `from ${openId}` }).acknowledged;
    // Conversations wake side by side: the next one comes when this one is at the gate.
    await until(() => model.requests.length === Math.min(index + 1, 3), { what: "its call" });
  }
  const turns = async () => (await gateway.health())["turns"];
  await until(async () => isDeepStrictEqual(await turns(), { running: 3, waiting: 1, limit: 3 }), {
    what: "three that run and one that waits",
  });

  await platform.userSays({ openId: "ou_b", text: "/stop" }).acknowledged;
  await until(() => model.requests.length === 4, { what: "the permit of the stopped turn" });
  assert.match(JSON.stringify(model.requests[3]?.body), /from ou_d/);
  assert.equal(model.concurrentMax, 3);
  model.release("go");
  for (const openId of ["ou_a", "ou_c", "ou_d"]) {
    await until(() => platform.chat(openId).fromBot[0]?.card?.isStreaming === false, {
      what: `the answer to ${openId}`,
    });
    assert.equal(platform.chat(openId).fromBot[0]?.text, "ab");
  }
  await until(
    () => platform.chat("ou_b").fromBot.some(({ text }) => /stopped/i.test(text)),
    { what: "the confirmation of /stop" },
  );
  assert.equal(model.concurrentMax, 3);
});

Deno.test("Without a provider the gateway starts, and each answer says how to set one up", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using gateway = await GatewayProcess.start(home, {
    feishu: platform,
    defaults: { provider: "auto" },
  });
  await platform.connected({ timeoutMs: 30_000 });
  await platform.userSays({ text: "hello" }).acknowledged;
  await until(() => platform.chat("ou_alice").fromBot.length === 1, { what: "the answer" });
  assert.match(gateway.output, /^Model: no provider is configured/m);
  await until(() => /apiKey/.test(platform.chat("ou_alice").fromBot[0]?.text ?? ""), {
    what: "how to set a provider up",
  });
});

Deno.test("A message that is accepted while the gateway stops is answered after the next start", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start((request) =>
    request.body.messages.length > 0 && model.requests.length === 1
      ? { steps: [{ type: "text", text: "never" }, { type: "stall" }] }
      : say("after the restart")
  );
  {
    await using gateway = await GatewayProcess.start(home, { model, feishu: platform });
    await platform.connected({ timeoutMs: 30_000 });
    await platform.userSays({ text: "take your time" }).acknowledged;
    await until(() => model.requests.length === 1, { what: "the first call" });
    assert.equal(await gateway.stop(), 0);
  }
  await using _gateway = await GatewayProcess.start(home, { model, feishu: platform });
  await until(
    () => platform.chat("ou_alice").fromBot.some(({ text }) => text.includes("after the restart")),
    { what: "the answer after the restart", timeoutMs: 20_000 },
  );
  assert.equal(platform.chat("ou_alice").fromBot.length, 1);
});
