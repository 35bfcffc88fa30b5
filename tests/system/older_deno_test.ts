import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { GatewayHome, GatewayProcess, runTroupe, writeConfig } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";

/** The oldest Deno that the program runs on; the tests themselves need the current one. */
const OLDEST = "2.6.8";
const MAIN = fileURLToPath(new URL("../../mod.ts", import.meta.url));

/** Gets the old Deno from npm; the path of its binary. */
async function oldestDeno(): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("npx", {
    args: ["-y", `deno@${OLDEST}`, "eval", "console.log(Deno.version.deno, Deno.execPath())"],
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout).trim();
  assert.ok(success && text.startsWith(OLDEST), new TextDecoder().decode(stderr));
  return text.slice(OLDEST.length + 1);
}

async function program(): Promise<string[]> {
  return [await oldestDeno(), "run", "-A", "--cached-only", MAIN];
}

Deno.test(`A question is answered on Deno ${OLDEST}, with a tool in between`, async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("write_file", { path: "note.txt", content: "kept 📌" }),
    say("Noted on an older Deno."),
  ]);
  await writeConfig(home, { model });
  const ask = ["agent", "-m", "take a note"];
  const { code, stdout, stderr } = await runTroupe(ask, home.path, await program());
  assert.equal(stdout, "Noted on an older Deno.\n", stderr);
  assert.equal(code, 0);
  assert.equal(await Deno.readTextFile(join(home.workspace, "note.txt")), "kept 📌");
});

Deno.test(`The gateway answers on Deno ${OLDEST}, from a channel in a Worker`, async () => {
  await using home = await GatewayHome.make();
  await using platform = await FeishuPlatform.start();
  await using model = await ModelServer.start([say("Still here.")]);
  await using gateway = await GatewayProcess.start(home, {
    model,
    feishu: platform,
    program: await program(),
  });
  await platform.connected({ timeoutMs: 20_000 });
  platform.userSays({ text: "are you there?" });
  await until(() => platform.chat("ou_alice").fromBot[0]?.card?.isStreaming === false, {
    timeoutMs: 20_000,
    what: "a closed card",
  });
  assert.equal(platform.chat("ou_alice").fromBot[0]?.text, "Still here.");
  assert.equal(await gateway.stop(), 0);
});
