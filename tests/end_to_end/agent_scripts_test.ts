import assert from "node:assert/strict";
import { callTool, lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import { GatewayHome, writeConfig } from "../support/gateway_process.ts";
import { TroupeCommand } from "../support/troupe_command.ts";

Deno.test("agent --json tells a script all that happens, what the message tool sends included", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("message", { content: "a note **as it is**" }),
    say("kept for the history"),
    { status: 401, body: { error: { message: "no such key" } } },
  ]);
  await writeConfig(home, { model });
  await using agent = new TroupeCommand({ home: home.path, args: ["agent", "--json"] });
  await agent.type("first\nsecond\n");
  await agent.endInput();
  assert.equal(await agent.ended(), 1, "one of the answers is a failure");
  const events = agent.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const [first, second] = events.filter(({ type }) => type === "handed_in");
  assert.deepEqual([first.result, second.result], ["accepted", "accepted"]);
  const settled = events.filter(({ type }) => type === "settled");
  assert.deepEqual(settled.map(({ platformId, outcome }) => [platformId, outcome]), [
    [first.platformId, "done"],
    [second.platformId, "failed"],
  ]);
  const said = events.filter(({ phase, text }) => phase === "final" && text !== "");
  assert.equal(said[0]?.text, "a note **as it is**");
  assert.match(said.at(-1)?.text, /error|failed/i);
});

Deno.test("agent -m - asks what a pipe holds, all of it as one question", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("message", { content: "a note" }),
    say("."),
  ]);
  await writeConfig(home, { model });
  await using agent = new TroupeCommand({ home: home.path, args: ["agent", "-m", "-"] });
  await agent.type("one\ntwo\n");
  await agent.endInput();
  assert.equal(await agent.ended(), 0);
  assert.match(lastUserText(await model.request(0)), /one\ntwo\s*$/);
  assert.equal(agent.stdout, "a note\n");
});
