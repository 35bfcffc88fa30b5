import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { TroupeCommand } from "../support/troupe_command.ts";
import { until } from "../support/until.ts";

/** Starts a gateway on a machine without bubblewrap and gives its line about tools. */
async function toolsLine(exec: Record<string, unknown>): Promise<string> {
  await using home = await temporaryFolder();
  const config = { gateway: { port: 0 }, tools: { exec } };
  await Deno.writeTextFile(join(home.path, "config.json"), JSON.stringify(config));
  await using gateway = new TroupeCommand({
    home: home.path,
    args: ["gateway"],
    env: { PATH: join(home.path, "no-programs") },
  });
  // The shell is tried once all else runs, and nothing waits for its line.
  const lines = [/^Ready\n/m, /^Tools: .*\n/m];
  await until(() => lines.every((line) => line.test(gateway.stdout)), {
    what: "the start and the line about tools",
    timeoutMs: 30_000,
  });
  return /^Tools: .*$/m.exec(gateway.stdout)?.[0] ?? gateway.stdout;
}

Deno.test("The start says which level auto took, and why not a stronger one", async () => {
  const line = await toolsLine({});
  assert.match(line, /shell: virtual: an interpreter/);
  assert.match(line, /bwrap does not work here: .*install bubblewrap/);
});

Deno.test("A level that was asked for and does not work leaves the shell off", async () => {
  const line = await toolsLine({ sandbox: "bwrap" });
  assert.match(line, /shell: off, as tools\.exec\.sandbox is "bwrap" and bwrap does not work here/);
  assert.doesNotMatch(line, /virtual:|process:/);
  assert.doesNotMatch(line, /\bexec\b,|write_stdin/);
});

Deno.test("A shell that is switched off is not among the tools", async () => {
  const line = await toolsLine({ enable: false });
  assert.match(line, /shell: off\)$/);
  assert.doesNotMatch(line, /\bexec\b|write_stdin/);
});
