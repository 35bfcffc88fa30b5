import assert from "node:assert/strict";
import type { JsonObject } from "../../../actors/kernel/json.ts";
import { ToolRegistry } from "../../../actors/tools/registry.ts";
import { spawnTool } from "../../../actors/tools/spawn.ts";
import type { SubagentOrder, SubagentStarter } from "../../../actors/tools/tool.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { toolBench } from "../../support/tool_context.ts";

/** What the model reads of a call, and what was started by it. */
async function spawn(args: JsonObject, isPossible: boolean = true) {
  await using bench = await toolBench();
  const started: SubagentOrder[] = [];
  const subagents: SubagentStarter = {
    start: (order) => (started.push(order), Promise.resolve("a1")),
    run: (order) => (started.push(order), Promise.resolve(`result of ${order.label}`)),
  };
  const registry = new ToolRegistry(new ManualClock(), [spawnTool(1_000)]);
  const context = isPossible ? { ...bench.context, subagents } : bench.context;
  const { content } = await registry.run("spawn", args, context);
  return { content: String(content), started };
}

const LONG = "Look through all of the files of last year";

Deno.test.each<[JsonObject, string]>([
  [{ task: "Look around" }, "Look around"],
  [{ task: LONG }, "Look through all of the files …"],
  [{ task: LONG, label: "Files\nof 2025" }, "Files of 2025"],
  [{ task: LONG, label: " " }, "Look through all of the files …"],
])("spawn with %j names its subagent %s, and goes on", async (args, label) => {
  const { content, started } = await spawn(args);
  assert.deepEqual(started, [{ task: args["task"], label }]);
  assert.match(content, new RegExp(`^Started the subagent "${label}" \\(a1\\)`));
});

Deno.test("spawn waits where it is asked to, and says where there are no subagents", async () => {
  assert.equal((await spawn({ task: "Look", wait: true })).content, "result of Look");
  assert.match(
    (await spawn({ task: "Look" }, false)).content,
    /^Error: Cannot start subagents here/,
  );
  assert.match((await spawn({ label: "x" })).content, /^Error: /);
});
