import assert from "node:assert/strict";
import { GatewayHome, writeConfig } from "../support/gateway_process.ts";
import { PROGRAM } from "../support/troupe_program.ts";
import { lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import { type TmuxOptions, TmuxTerminal } from "./tmux_terminal.ts";

async function startChat(
  home: GatewayHome,
  model: ModelServer,
  size: Pick<TmuxOptions, "columns"> = {},
): Promise<TmuxTerminal> {
  await writeConfig(home, { model });
  const terminal = await TmuxTerminal.start({
    ...size,
    command: [...PROGRAM, "agent"],
    env: { TROUPE_HOME: home.path, NO_COLOR: "1" },
  });
  await terminal.shows("the greeting", (lines) => lines.some((line) => line.includes("/help")));
  return terminal;
}

function userText(model: ModelServer, index: number): string {
  const request = model.requests[index];
  assert.ok(request !== undefined, `the model was asked ${index + 1} time(s)`);
  return lastUserText(request);
}

function has(text: string): (lines: string[]) => boolean {
  return (lines) => lines.some((line) => line.includes(text));
}

Deno.test("The chat answers Chinese and emoji in a terminal", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([say("你好！", "很高兴见到你 🎉"), say("再见 👋🏽")]);
  await using terminal = await startChat(home, model);

  await terminal.enter("你好，世界 👨‍👩‍👧 ok");
  await terminal.shows("the first answer", has("你好！很高兴见到你 🎉"));
  await terminal.enter("再见");
  await terminal.shows("the second answer", has("再见 👋🏽"));

  assert.match(userText(model, 0), /你好，世界 👨‍👩‍👧 ok$/);
  await terminal.enter("exit");
  assert.equal(await terminal.exitCode(), 0);
  assert.deepEqual(await home.transcript("cli_direct"), [
    "user: 你好，世界 👨‍👩‍👧 ok",
    "assistant: 你好！很高兴见到你 🎉",
    "user: 再见",
    "assistant: 再见 👋🏽",
  ]);
});

Deno.test("A line can be edited and brought back in the chat", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([say("first answer"), say("second answer")]);
  await using terminal = await startChat(home, model);

  await terminal.type("héllo wörldx");
  await terminal.press("BSpace", "Enter");
  await terminal.shows("the first answer", has("first answer"));
  await terminal.press("Up");
  await terminal.press("Enter");
  await terminal.shows("the second answer", has("second answer"));
  assert.match(userText(model, 0), /héllo wörld$/);
  assert.match(userText(model, 1), /héllo wörld$/);
});

Deno.test("A half-typed line of two rows stays whole when an answer appears", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([{
    steps: [{ type: "pause", until: "go" }, { type: "text", text: "one\ntwo" }],
  }, say("done")]);
  await using terminal = await startChat(home, model, { columns: 30 });

  await terminal.enter("first");
  await model.request(0);
  await terminal.type("the quick brown fox jumps over the lazy dog");
  await terminal.shows("the half-typed line", has("lazy dog"));
  model.release("go");
  // The answer is written first and the line that is typed again below it: two looks may see one.
  const lines = await terminal.shows(
    "the answer with the half-typed line below it",
    (lines) => has("two")(lines) && lines.at(-1)?.endsWith("lazy dog") === true,
  );
  assert.deepEqual(lines, [
    "Troupe 0.1.0. /help lists commands, exit leaves.",
    "> first",
    "one",
    "two",
    "> the quick brown fox jumps over the lazy dog",
  ]);
  await terminal.press("Enter");
  await terminal.shows("the next answer", has("done"));
  assert.match(userText(model, 1), /the lazy dog$/);
});

Deno.test("/help lists the commands, also while a turn runs", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([{
    steps: [{ type: "pause", until: "go" }, { type: "text", text: "late answer" }],
  }]);
  await using terminal = await startChat(home, model);

  await terminal.enter("take your time");
  await model.request(0);
  await terminal.enter("/help");
  const lines = await terminal.shows("the commands", has("/stop"));
  assert.ok(["/new", "/status", "/help"].every((command) => has(command)(lines)));
  assert.equal(has("late answer")(lines), false);
  model.release("go");
  await terminal.shows("the answer", has("late answer"));
});

Deno.test("/stop ends a running turn, and the chat goes on", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    { steps: [{ type: "text", text: "I begin" }, { type: "stall" }] },
    say("fresh answer"),
  ]);
  await using terminal = await startChat(home, model);

  await terminal.enter("count to a million");
  await model.request(0);
  await terminal.enter("/stop");
  await terminal.shows("that it stopped", (lines) => lines.some((line) => /stopped/i.test(line)));
  await terminal.enter("and now?");
  await terminal.shows("the next answer", has("fresh answer"));
  assert.equal(model.requests.length, 2);
});

Deno.test("Ctrl-C clears a line that is typed and leaves on an empty one", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start();
  await using terminal = await startChat(home, model);

  await terminal.type("never mind");
  await terminal.shows("the typed line", has("> never mind"));
  await terminal.press("C-c");
  await terminal.shows("an empty line", (lines) => lines.at(-1)?.trimEnd() === ">");
  await terminal.press("C-c");
  assert.equal(await terminal.exitCode(), 0);
  assert.equal(model.requests.length, 0);
});

Deno.test("Ctrl-D on an empty line leaves the chat", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start();
  await using terminal = await startChat(home, model);

  await terminal.press("C-d");
  assert.equal(await terminal.exitCode(), 0);
});
