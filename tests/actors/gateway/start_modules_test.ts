import assert from "node:assert/strict";
import { importsOf, reachableFrom } from "../../tidy/module_graph.ts";

Deno.test("A start waits neither for the parser of commands nor for an API that is off", async () => {
  const root = "channels/cli/commands/gateway.ts";
  const imports = (await importsOf([root]))
    .filter(({ isTypeOnly, isLate }) => !isTypeOnly && !isLate);
  const read = [...reachableFrom([root], imports)];
  assert.ok(read.includes("actors/gateway/gateway.ts"), "the graph is there");
  const late = /unbash|shell\/guard\.ts|shell\/parsed_command\.ts|gateway\/api/;
  assert.deepEqual(read.filter((file) => late.test(file)), []);
});
