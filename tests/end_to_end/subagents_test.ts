import assert from "node:assert/strict";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import { callTool, type ModelReply, type RecordedRequest } from "../simulators/model_server.ts";
import { GatewayHome, GatewayProcess, runTroupe, writeConfig } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";

/** A model that has a helper look around, and tells what came of it. */
function modelWith(helper: ModelReply): (request: RecordedRequest) => ModelReply {
  return (request) => {
    const { messages } = request.body;
    if (JSON.stringify(messages[0]).includes("# Subagent")) return helper;
    if (messages.at(-1)?.role === "tool") return say("It is on its way.");
    const said = lastUserText(request);
    if (!said.includes("[Result of a subagent")) return callTool("spawn", { task: "look around" });
    return say(said.includes("interrupted") ? "It was cut off." : "It found a door.");
  };
}

Deno.test("A subagent that dies with its gateway is told of as interrupted after the next start", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start(modelWith({ steps: [{ type: "stall" }] }));
  {
    await using gateway = await GatewayProcess.start(home, { model });
    const asked = await runTroupe(["agent", "-m", "Look around"], home.path);
    assert.equal(asked.code, 0);
    assert.match(asked.stdout, /It is on its way\./);
    assert.match(asked.stderr, /The gateway goes on with 1 subagent/);
    await until(() => model.running === 1, { what: "the subagent at work" });
    await gateway.kill();
  }
  await using _gateway = await GatewayProcess.start(home, { model });
  await until(
    async () => (await home.transcript("cli_direct")).at(-1) === "assistant: It was cut off.",
    {
      what: "the word on it",
      timeoutMs: 20_000,
    },
  );
  const transcript = await home.transcript("cli_direct");
  assert.equal(transcript.filter((line) => line.includes("Result of a subagent")).length, 1);
  const helpers = model.requests.filter(({ body }) => JSON.stringify(body).includes("# Subagent"));
  assert.equal(helpers.length, 1, "nothing of it runs again by itself");
});

Deno.test("A question at the terminal waits for its subagent, and shows what it found", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start(modelWith(say("a door")));
  await writeConfig(home, { model });
  const { code, stdout, stderr } = await runTroupe(["agent", "-m", "Look around"], home.path);
  assert.deepEqual([code, stdout.trim().split(/\n+/)], [0, [
    "It is on its way.",
    "It found a door.",
  ]]);
  assert.match(stderr, /Waiting for 1 subagent, 30 min at most; Ctrl-C ends them/);
});
