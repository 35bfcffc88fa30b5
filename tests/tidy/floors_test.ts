import assert from "node:assert/strict";
import { importsAgainstTheHouse, importsBetweenChannels } from "./floors.ts";
import { findCycle, modulesNamedIn, reachableFrom } from "./module_graph.ts";

function edge(from: string, to: string) {
  return { from, to, isTypeOnly: false };
}

Deno.test.each([
  ["upwards", "actors/kernel/ref.ts", "actors/config/load_config.ts"],
  ["upwards by a type", "actors/config/schema.ts", "channels/manifest.ts"],
  ["sideways", "actors/config/schema.ts", "actors/journal/journal.ts"],
  ["into the terminal", "channels/registry.ts", "channels/cli/main.ts"],
  ["into the entry", "actors/gateway/gateway.ts", "mod.ts"],
  ["into tests", "actors/session/turn.ts", "tests/support/probe.ts"],
])("The house refuses an import %s", (_way, from, to) => {
  assert.deepEqual(importsAgainstTheHouse([edge(from, to)]), [`${from} -> ${to}`]);
});

Deno.test.each([
  ["downwards", "actors/gateway/gateway.ts", "actors/kernel/ref.ts"],
  ["within an area", "actors/session/turn.ts", "actors/session/steps.ts"],
  ["of a package", "actors/config/schema.ts", "npm:zod@4.6.7"],
  ["of a text", "actors/session/prompt.ts", "workspace-template/SOUL.md"],
  ["by a test", "tests/a_test.ts", "mod.ts"],
])("The house allows an import %s", (_way, from, to) => {
  assert.deepEqual(importsAgainstTheHouse([edge(from, to)]), []);
});

Deno.test("A channel that reaches into another one is found", () => {
  const across = edge("channels/slack/mod.ts", "channels/feishu/api.ts");
  const fine = edge("channels/slack/mod.ts", "channels/channel.ts");
  const shared = edge("channels/slack/mod.ts", "channels/media/limiter.ts");
  assert.deepEqual(importsBetweenChannels([across, fine, shared]), [
    `${across.from} -> ${across.to}`,
  ]);
});

Deno.test("A cycle is found with the way around it", () => {
  const edges = [edge("a", "b"), edge("b", "c"), edge("c", "d"), edge("d", "b"), edge("a", "d")];
  assert.deepEqual(findCycle(edges), ["b", "c", "d", "b"]);
  assert.equal(findCycle(edges.slice(0, 3)), undefined);
});

Deno.test("What no root leads to is not reached", () => {
  const edges = [edge("a", "b"), edge("b", "a"), edge("x", "b")];
  assert.deepEqual([...reachableFrom(["a"], edges)], ["a", "b"]);
});

Deno.test("A module that is started by its path counts as imported", () => {
  const text = 'const ENTRY = new URL("../b/worker.ts", import.meta.url);\nnew URL("a.md", x);';
  assert.deepEqual(modulesNamedIn("actors/a/start.ts", text), [
    edge("actors/a/start.ts", "actors/b/worker.ts"),
  ]);
});
