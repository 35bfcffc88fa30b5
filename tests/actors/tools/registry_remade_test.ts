import assert from "node:assert/strict";
import { z } from "zod";
import { defineTool, textResult } from "../../../actors/tools/define_tool.ts";
import { ToolRegistry } from "../../../actors/tools/registry.ts";
import type { Tool } from "../../../actors/tools/tool.ts";
import { ManualClock } from "../../support/manual_clock.ts";

function tool(name: string, description = "as it was"): Tool {
  return defineTool({
    ...{ name, description, timeoutMs: 1_000, concurrency: "exclusive", needs: {} },
    parameters: z.object({}),
    run: () => Promise.resolve(textResult(name)),
  });
}

function shown(registry: ToolRegistry): string[] {
  return registry.definitions().map(({ name, description }) => `${name}: ${description}`);
}

Deno.test("A registry that is made anew has other tools of its own, and all that was added", () => {
  const before = new ToolRegistry(new ManualClock(), [tool("a"), tool("b"), tool("hidden")]);
  before.add(tool("plugin"));
  before.replaceGroup("server", [tool("mcp_one")]);
  before.hide("hidden");
  const after = before.remade([tool("b", "new"), tool("c"), tool("hidden")]);
  assert.deepEqual(shown(after), [
    ...["b: new", "c: as it was", "plugin: as it was", "mcp_one: as it was"],
  ]);
  after.replaceGroup("server", [tool("mcp_two")]);
  assert.deepEqual(shown(after).at(-1), "mcp_two: as it was");
  assert.deepEqual(shown(before), [
    ...["a: as it was", "b: as it was", "plugin: as it was", "mcp_one: as it was"],
  ], "turns that began with it go on with it");
  assert.deepEqual(shown(after.remade([])), ["plugin: as it was", "mcp_two: as it was"]);
});
