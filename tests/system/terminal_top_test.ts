import assert from "node:assert/strict";
import { GatewayHome, GatewayProcess } from "../support/gateway_process.ts";
import { PROGRAM } from "../support/troupe_program.ts";
import { TroupeCommand } from "../support/troupe_command.ts";
import { TmuxTerminal } from "./tmux_terminal.ts";

function looksIn(text: string): number {
  return text.match(/^Gateway ok, up /gm)?.length ?? 0;
}

Deno.test("top draws over itself in a terminal, lists in a pipe, and ends with the gateway", async () => {
  await using home = await GatewayHome.make();
  const config = { tools: { exec: { enable: false } } };
  await using gateway = await GatewayProcess.start(home, { config });
  const command = [...PROGRAM, "top", "--every", "0.1"];
  await using terminal = await TmuxTerminal.start({
    command,
    env: { TROUPE_HOME: home.path },
    columns: 60,
    rows: 16,
  });
  await terminal.shows("a look", (lines) => looksIn(lines.join("\n")) === 1);
  const first = (await terminal.lines())[0];
  await terminal.shows("a later look in its place", (lines) => {
    return looksIn(lines.join("\n")) === 1 && lines[0] !== first;
  });
  assert.ok((await terminal.lines()).length <= 16);
  await terminal.press("C-c");
  assert.equal(await terminal.exitCode(), 0);
  assert.equal(looksIn((await terminal.lines()).join("\n")), 0, "what stood there is back");

  const args = ["top", "--every", "0.1"];
  await using piped = new TroupeCommand({ home: home.path, args });
  await piped.shows("Gateway ok");
  assert.equal(await gateway.stop(), 0);
  assert.equal(await piped.ended(), 1);
  assert.match(piped.stderr, /The gateway has ended/);
  assert.ok(!piped.stdout.includes("\x1b"));
});
