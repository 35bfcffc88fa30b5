import assert from "node:assert/strict";
import { join } from "node:path";
import { GatewayHome, GatewayProcess, writeConfig } from "../support/gateway_process.ts";
import { PROGRAM } from "../support/troupe_program.ts";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import { TmuxTerminal } from "./tmux_terminal.ts";

async function startChat(home: GatewayHome): Promise<TmuxTerminal> {
  const terminal = await TmuxTerminal.start({
    command: [...PROGRAM, "agent"],
    env: { TROUPE_HOME: home.path, NO_COLOR: "1" },
  });
  await terminal.shows("the greeting", has("/help"));
  return terminal;
}

function has(text: string): (lines: string[]) => boolean {
  return (lines) => lines.some((line) => line.includes(text));
}

Deno.test("Several pasted lines are one message, and come back from the history", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([say("first"), say("second")]);
  await writeConfig(home, { model });
  await using terminal = await startChat(home);
  await terminal.paste("one\ntwo 世界\nthree");
  await terminal.shows("the text on one line", has("> one⏎two 世界⏎three"));
  await terminal.press("Enter");
  await terminal.shows("the first answer", has("first"));
  assert.match(lastUserText(await model.request(0)), /one\ntwo 世界\nthree$/);
  await terminal.enter("exit");
  assert.equal(await terminal.exitCode(), 0);

  await using later = await startChat(home);
  await later.press("Up");
  await later.press("Enter");
  await later.shows("the second answer", has("second"));
  assert.match(lastUserText(await model.request(1)), /one\ntwo 世界\nthree$/);
  const { mode } = await Deno.stat(join(home.path, "terminal_history"));
  assert.equal((mode ?? 0) & 0o777, 0o600);
});

Deno.test("A chat through the running gateway can be stopped, and outlives nothing but itself", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    { steps: [{ type: "text", text: "I begin\nand" }, { type: "stall" }] },
    say("fresh answer"),
  ]);
  await using gateway = await GatewayProcess.start(home, { model });
  await using terminal = await startChat(home);
  await terminal.shows("where it is", has("through the running gateway"));
  await terminal.enter("count to a million");
  await terminal.shows("the first line while it grows", has("I begin"));
  await terminal.enter("/stop");
  await terminal.shows("that it stopped", (lines) => lines.some((line) => /^stopped/i.test(line)));
  await terminal.enter("and now?");
  await terminal.shows("the next answer", has("fresh answer"));
  await gateway.stop();
  assert.equal(await terminal.exitCode(), 1);
  await terminal.shows("why it ended", has("Error: Cannot go on: the gateway is stopping"));
});
