import assert from "node:assert/strict";
import {
  GatewayHome,
  type GatewayProcessOptions,
  writeConfig,
} from "../support/gateway_process.ts";
import { PROGRAM } from "../support/troupe_program.ts";
import { callTool, lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import { type TmuxOptions, TmuxTerminal } from "./tmux_terminal.ts";

interface ChatOptions extends Pick<TmuxOptions, "columns"> {
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: GatewayProcessOptions["config"];
}

async function startChat(
  home: GatewayHome,
  model: ModelServer,
  { env = {}, config = {}, ...size }: ChatOptions = {},
): Promise<TmuxTerminal> {
  await writeConfig(home, { model, config });
  const terminal = await TmuxTerminal.start({
    ...size,
    command: [...PROGRAM, "agent"],
    env: { TROUPE_HOME: home.path, ...env },
  });
  await terminal.shows("the greeting", has("/help"));
  return terminal;
}

function has(text: string): (lines: string[]) => boolean {
  return (lines) => lines.some((line) => line.includes(text));
}

Deno.test("Ctrl-C stops the running turn, and a second one leaves", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    { steps: [{ type: "text", text: "I begin\nand" }, { type: "stall" }] },
    say("fresh answer"),
  ]);
  await using terminal = await startChat(home, model, { env: { NO_COLOR: "1" } });
  await terminal.enter("count to a million");
  await terminal.shows("the first line", has("I begin"));
  await terminal.press("C-c");
  await terminal.shows("what happens", has("Stopping; Ctrl-C again leaves"));
  await terminal.shows("that it stopped", (lines) => lines.some((line) => /^stopped/i.test(line)));
  await terminal.enter("and now?");
  await terminal.shows("the next answer", has("fresh answer"));
  await terminal.press("C-c");
  assert.equal(await terminal.exitCode(), 0);
});

Deno.test("An answer is shown as Markdown with colours, its table in line", async () => {
  await using home = await GatewayHome.make();
  const env = { NO_COLOR: "" }; // whatever is wanted of the tests themselves
  const answer =
    "**bold** 世界\n\n```ts\nconst a = 1;\n```\n\n| 名 | n |\n|---|---|\n| 你好 | 1 |\n";
  await using model = await ModelServer.start([say(...answer.split(/(?= )/))]);
  await using terminal = await startChat(home, model, { env });
  await terminal.enter("show me");
  const lines = await terminal.shows("the table", has("你好"));
  assert.deepEqual(lines.slice(lines.indexOf("> show me") + 1), [
    ...["bold 世界", "", "```ts", "const a = 1;", "```", ""],
    ...["名    n", "────  ─", "你好  1", ">"],
  ]);
  // tmux says of a background that it is the usual one.
  const looks = (await terminal.looks()).replaceAll("\x1b[49m", "");
  assert.ok(looks.includes("\x1b[1mbold"), "bold");
  assert.ok(looks.includes("\x1b[35mconst"), "a keyword");
});

Deno.test("Lines are typed on with a backslash and with Alt-Enter", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([say("first answer"), say("second answer")]);
  await using terminal = await startChat(home, model, { env: { NO_COLOR: "1" } });
  await terminal.enter("one\\");
  await terminal.shows("the sign that it goes on", (lines) => lines.at(-1) === "…");
  await terminal.enter("two 世界");
  await terminal.shows("the first answer", has("first answer"));
  assert.match(lastUserText(await model.request(0)), /one\ntwo 世界$/);
  await terminal.type("three");
  await terminal.press("M-Enter");
  await terminal.enter("four");
  await terminal.shows("the second answer", has("second answer"));
  assert.match(lastUserText(await model.request(1)), /three\nfour$/);
});

Deno.test("A window that becomes narrower and wider keeps the half-typed line whole", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([say("an answer"), say("done")]);
  await using terminal = await startChat(home, model, { columns: 60, env: { NO_COLOR: "1" } });
  await terminal.paste("一二三四五六七八九十 the quick brown fox 一二三四五六七八九十");
  await terminal.shows("the pasted line", has("九十 the quick"));
  await terminal.resize(30, 20);
  await terminal.type(" jumps");
  await terminal.shows("the whole line", has("八九十 jumps"));
  await terminal.resize(90, 30);
  await terminal.enter(" over");
  await terminal.shows("the answer", has("an answer"));
  const text = lastUserText(await model.request(0));
  assert.match(text, /一二三四五六七八九十 the quick brown fox 一二三四五六七八九十 jumps over$/);
  await terminal.enter("more");
  const isDone = (lines: string[]) => has("done")(lines) && lines.at(-1) === ">";
  const lines = await terminal.shows("the next answer, and the prompt behind it", isDone);
  assert.deepEqual(lines.slice(-3), ["> more", "done", ">"]);
});

Deno.test("A dumb terminal gets no control sequence, and its Ctrl-C stops the turn", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    say("**as** it is\nsecond line"),
    { steps: [{ type: "text", text: "I begin\nand" }, { type: "stall" }] },
  ]);
  await writeConfig(home, { model });
  const record = `${home.path}/record`;
  await using terminal = await TmuxTerminal.start({
    command: [
      ...["script", "-q", "-e", "-c"],
      `env TERM=dumb ${PROGRAM.join(" ")} agent`,
      record,
    ],
    env: { TROUPE_HOME: home.path },
  });
  await terminal.shows("the greeting", has("/help"));
  await terminal.enter("你好");
  await terminal.shows("the answer", has("second line"));
  await terminal.enter("go on");
  await terminal.shows("the first line", has("I begin"));
  await terminal.press("C-c");
  await terminal.shows("that it stopped", (lines) => lines.some((line) => /stopped/i.test(line)));
  await terminal.press("C-d");
  assert.equal(await terminal.exitCode(), 0);
  // Before the first line it is Deno itself that shows how far it is.
  const [, shown = ""] = /(Troupe [^]*?)\r?\nScript done/.exec(
    await Deno.readTextFile(record),
  ) ?? [];
  assert.match(shown, /\*\*as\*\* it is\r\nsecond line\r\n> /);
  assert.ok(!shown.includes("\x1b"), "no escape");
});

Deno.test("A tool call waits for a yes that is typed", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("write_file", { path: "a.txt", content: "approved" }),
    say("it is written"),
  ]);
  const config = { tools: { approval: { tools: ["write_file"] } } };
  await using terminal = await startChat(home, model, { config, env: { NO_COLOR: "1" } });
  await terminal.enter("write it");
  await terminal.shows("the question", has("May I use"));
  await terminal.enter("yes");
  await terminal.shows("the answer", has("it is written"));
  assert.equal(await Deno.readTextFile(`${home.workspace}/a.txt`), "approved");
});
