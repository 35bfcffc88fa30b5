import assert from "node:assert/strict";
import { join } from "node:path";
import { GatewayHome, runTroupe, writeConfig } from "../support/gateway_process.ts";
import { ModelServer, say } from "../simulators/model_server.ts";

Deno.test("agent says in one line why a conversation that cannot be read is not answered", async () => {
  await using home = await GatewayHome.make();
  home.withoutReplay();
  await using model = await ModelServer.start(() => say("hello"));
  await writeConfig(home, { model });
  await Deno.mkdir(join(home.workspace, "sessions", "cli_direct.jsonl"), { recursive: true });
  const { code, stdout, stderr } = await runTroupe(["agent", "-m", "hi"], home.path);
  assert.equal(code, 1);
  const said = `${stdout}${stderr}`.trim().split("\n").filter((line) =>
    /cannot be read/.test(line)
  );
  assert.equal(said.length, 1);
  assert.match(said[0] ?? "", /directory/);
  assert.equal(model.requests.length, 0);
});
