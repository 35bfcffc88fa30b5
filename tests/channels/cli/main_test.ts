import assert from "node:assert/strict";
import type { Terminal } from "../../../channels/cli/adapters/terminal.ts";
import { main } from "../../../channels/cli/main.ts";
import project from "../../../deno.json" with { type: "json" };

async function run(...args: readonly string[]) {
  const output = { stdout: "", stderr: "" };
  const terminal: Terminal = {
    write: (text) => output.stdout += text,
    writeError: (text) => output.stderr += text,
    isInteractive: false,
    hasColors: false,
  };
  return { code: await main(args, terminal), ...output };
}

Deno.test.each([[[]], [["--help"]], [["-h"]], [["help"]]])(
  "main(%j) lists the commands",
  async (args) => {
    const { code, stdout } = await run(...args);
    assert.equal(code, 0);
    for (const name of ["gateway", "agent", "status"]) {
      assert.match(stdout, new RegExp(`^ {2}${name} `, "m"));
    }
  },
);

Deno.test.each(["--version", "-v"])("main(%s) prints the version alone", async (flag) => {
  assert.deepEqual(await run(flag), { code: 0, stdout: `${project.version}\n`, stderr: "" });
});

Deno.test.each([
  ["a mistyped command", ["stauts"], /unknown command 'stauts' \(Did you mean status\?\)/],
  ["a mistyped flag", ["status", "--jsn"], /unknown option '--jsn' \(Did you mean --json\?\)/],
  ["a word too many", ["status", "now"], /too many arguments/],
  ["a flag without its value", ["agent", "-m"], /argument missing/],
  ["a port that is none", ["gateway", "--port", "http"], /a port is a whole number/],
  ["a missing id", ["retry"], /missing required argument 'id'/],
])("main refuses %s with exit code 2", async (_what, args, words) => {
  const { code, stdout, stderr } = await run(...args);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, words);
});

Deno.test("main says what is wrong with a configuration in one line, without a stack", async () => {
  const { code, stderr } = await run("status", "--config", "/nowhere/config.json");
  assert.equal(code, 2);
  assert.match(stderr, /^Error: Cannot load "\/nowhere\/config.json": [^\n]*\n$/);
});
