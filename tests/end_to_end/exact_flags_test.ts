import assert from "node:assert/strict";
import { join } from "node:path";
import { GatewayHome, GatewayProcess, runTroupe } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";

const APP = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");

/** The words of docs/commands.md, with the places of this run. */
function exactly(
  home: GatewayHome,
  hosts: readonly string[],
  run: readonly string[] = [],
): string[] {
  const socket = `unix:${join(home.path, "state", "control.sock")}`;
  return [
    Deno.execPath(),
    "run",
    "--no-prompt",
    "--cached-only",
    "--no-check",
    "--ignore-env",
    "--allow-env=HOME,TROUPE_HOME",
    `--allow-read=${APP},${home.path}`,
    `--allow-write=${home.path}`,
    `--allow-net=${[...hosts, socket].join(",")}`,
    ...(run.length > 0 ? [`--allow-run=${run.join(",")}`] : []),
    join(APP, "mod.ts"),
  ];
}

Deno.test("The gateway runs a channel, tools and its door with exactly the rights it needs", async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start([
    callTool("exec", { command: "echo from the shell" }),
    callTool("write_file", { path: "note.txt", content: "kept" }),
    say("Done."),
    say("Here too."),
  ]);
  const hosts = ["127.0.0.1:0", new URL(model.baseUrl).host, new URL(platform.url).host];
  const program = exactly(home, hosts, ["bash"]);
  await using gateway = await GatewayProcess.start(home, { model, feishu: platform, program });
  assert.match(gateway.output, /^Control: .*control\.sock$/m);
  await platform.connected({ timeoutMs: 30_000 });
  await platform.userSays({ text: "please" }).acknowledged;
  await until(() => platform.chat("ou_alice").fromBot.at(-1)?.card?.isStreaming === false, {
    what: "the answer",
    timeoutMs: 30_000,
  });
  const results = model.requests[2]?.body.messages.filter(({ role }) => role === "tool") ?? [];
  assert.match(String(results[0]?.content), /from the shell/);
  assert.equal(await Deno.readTextFile(join(home.workspace, "note.txt")), "kept");

  const { stdout, stderr } = await runTroupe(["agent", "-m", "and you?"], home.path, program);
  assert.equal(stdout, "Here too.\n", stderr);
  assert.equal((await runTroupe(["status"], home.path, program)).code, 0);
  assert.equal(await gateway.stop(), 0);
  assert.doesNotMatch(gateway.output, /NotCapable|Requires \w+ access/);
});

Deno.test("A gateway without the right to its socket serves its chats and says what is missing", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start();
  const program = exactly(home, ["127.0.0.1:0"]).map((word) => word.replace(/,unix:.*$/, ""));
  await using gateway = await GatewayProcess.start(home, { model, program });
  assert.match(gateway.output, /^Control: off, [^\n]*Requires net access to "unix:/m);
  assert.equal(await gateway.stop(), 0);
});
