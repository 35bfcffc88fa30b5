import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { run } from "./_screen.ts";

/** What stands on the line when Tab is pressed, and what is offered. */
const OFFERS: readonly (readonly [string, string])[] = [
  ["troupe stat", "status"],
  ["troupe channels ", "status login"],
  ["troupe channels login tele", "telegram"],
  ["troupe channels login --scan fei", "feishu"],
  ["troupe status --js", "--json"],
  ["troupe sessions list --o", "--offset"],
  ["troupe sessions list --limit 3 --js", "--json"],
  ["troupe status --config ./conf", "./config one.json"],
  ["troupe status --config ./x sta", ""],
  ["troupe migrate --from ", "nanobot openclaw"],
  ["troupe providers test olla", "ollama"],
  ["troupe provider login open", "openai-codex"],
  ["troupe onboard --provider openr", "openrouter"],
  ["troupe config get gateway.po", "gateway.port"],
  ["troupe config set agents.defaults.mo", "agents.defaults.model"],
  ["troupe completion ", "bash zsh fish"],
  ["troupe audit verify --ex", "--expect"],
  ["troupe agent -m ", ""],
  ["troupe nonsense ", ""],
];

Deno.test("bash completes commands, flags, values and files", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(join(folder.path, "config one.json"), "{}");
  const { out: script } = await run("completion", "bash");
  const asks = OFFERS.map(([line]) => {
    const words = line.split(" ");
    return `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
      COMP_CWORD=${words.length - 1} COMPREPLY=() COMP_LINE='${line}'
      _troupe; echo "\${COMPREPLY[*]}"`;
  });
  const shell = await new Deno.Command("bash", {
    args: ["--norc", "--noprofile", "-c", [script, ...asks].join("\n")],
    cwd: folder.path,
  }).output();
  assert.equal(new TextDecoder().decode(shell.stderr), "");
  const offered = new TextDecoder().decode(shell.stdout).split("\n");
  assert.deepEqual(OFFERS.map(([line], index) => [line, offered[index]]), OFFERS);
});

Deno.test.each(["bash", "zsh", "fish"])(
  "The script for %s is for the name that it is given",
  async (shell) => {
    const { code, out } = await run("completion", shell, "--name", "my.bot");
    assert.equal(code, 0);
    assert.match(out, /my\.bot/);
    assert.doesNotMatch(out, /troupe [a-z]|\bundefined\b/);
  },
);

Deno.test("completion refuses shells that it does not know, and names that are none", async () => {
  const shell = await run("completion", "tcsh");
  assert.equal(shell.code, 2);
  assert.match(shell.err, /^Error: [^\n]*bash, zsh, fish[^\n]*\n$/);
  const name = await run("completion", "bash", "--name", "a; rm -rf ~");
  assert.deepEqual([name.code, name.out], [2, ""]);
});
