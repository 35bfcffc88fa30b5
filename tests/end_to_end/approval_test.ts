import assert from "node:assert/strict";
import { GatewayHome, GatewayProcess, runTroupe } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";

const CONFIG = {
  tools: { exec: { sandbox: "virtual" }, approval: { commands: ["rm"], timeout: 60 } },
};

function resultsOf(model: ModelServer): string[] {
  return (model.requests.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === "tool").map(({ content }) => String(content));
}

Deno.test("A command that needs a yes waits for it in its chat, and all of it is in the log", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start([
    callTool("exec", { command: "cd . && rm -r old" }),
    callTool("exec", { command: "echo done" }),
    say("Cleaned up."),
    callTool("exec", { command: "rm -r old" }),
    say("I may not."),
  ]);
  await using gateway = await GatewayProcess.start(home, {
    model,
    feishu: platform,
    config: CONFIG,
  });
  await platform.connected({ timeoutMs: 30_000 });
  const said = () => JSON.stringify(platform.chat("ou_alice").fromBot.map(({ text }) => text));
  await platform.userSays({ text: "clean up" }).acknowledged;
  await until(() => said().includes("May I use"), { what: "the question", timeoutMs: 30_000 });
  assert.match(said(), /rm -r old/);
  const find = (text: string) =>
    platform.chat("ou_alice").fromBot.find(({ content }) => content.includes(text));
  await until(() => find('"button"') !== undefined, { what: "buttons", timeoutMs: 30_000 });
  const buttons = find('"button"')?.messageId ?? "";
  await platform.userPresses(buttons, "Approve").acknowledged;
  await until(() => said().includes("Cleaned up."), { what: "the answer", timeoutMs: 30_000 });
  assert.match(said(), /Approved/);
  await until(() => platform.message(buttons).content.includes("Approved: I go on"), {
    what: "the end of the buttons",
  });
  assert.match(resultsOf(model).at(-1) ?? "", /done/);

  const alone = await runTroupe(["agent", "-m", "clean up"], home.path);
  assert.equal(alone.stdout, "I may not.\n", alone.stderr);
  assert.match(
    resultsOf(model).at(-1) ?? "",
    /^Error: exec was not allowed: .*nobody can be asked/,
  );

  const shown = await runTroupe(["audit", "--tool", "exec"], home.path);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /rm -r old.* an owner is asked\n.*approved by feishu:ou_alice after/);
  assert.match(shown.stdout, /echo done.* ok, \d+ characters/);
  assert.match(shown.stdout, /nobody.*\n.*refused/);
  assert.equal((await runTroupe(["audit", "verify"], home.path)).code, 0);
  assert.equal(await gateway.stop(), 0);
});
