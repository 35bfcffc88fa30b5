import assert from "node:assert/strict";
import { importsOf, reachableFrom } from "../../tidy/module_graph.ts";

Deno.test("Help and version read no command, and no package but the one for flags", async () => {
  // Deno reads what stands in an `import()` before anything runs, whether that runs or not.
  const imports = (await importsOf(["mod.ts"])).filter(({ isTypeOnly }) => !isTypeOnly);
  const read = [...reachableFrom(["mod.ts"], imports)];
  assert.ok(read.includes("channels/cli/main.ts"), "the graph is there");
  const commands = read.filter((file) => file.startsWith("channels/cli/command"));
  assert.deepEqual(commands, [], "a command is loaded by way of command_modules.ts");
  const packages = read.filter((file) => file.startsWith("npm:"))
    .map((file) => file.replace(/^npm:\/?/, "").replace(/@[^@]*$/, ""));
  assert.deepEqual(packages, ["commander"]);
});
