import assert from "node:assert/strict";
import { join } from "node:path";
import { GatewayHome, GatewayProcess, runTroupe, writeConfig } from "../support/gateway_process.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";

const EXAMPLE = new URL("../fixtures/plugins/word_count_tool.ts", import.meta.url).pathname;

function resultsOf(model: ModelServer): string[] {
  return (model.requests.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === "tool").map(({ content }) => String(content));
}

Deno.test("A tool of a plug-in does its work, with the rights of its entry and no others", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("word_count", { path: "poem.txt" }),
    callTool("word_count", { path: "../config.json" }),
    say("Counted."),
  ]);
  const plugins = [{ module: EXAMPLE, rights: { read: ["workspace"] } }];
  await writeConfig(home, { model, config: { tools: { plugins } } });
  await Deno.mkdir(home.workspace);
  await Deno.writeTextFile(join(home.workspace, "poem.txt"), "one two\nthree");
  const { stdout, stderr } = await runTroupe(["agent", "-m", "count"], home.path);
  assert.equal(stdout, "Counted.\n", stderr);
  const [counted = "", refused = ""] = resultsOf(model);
  assert.equal(counted, "2 lines, 3 words, 13 characters");
  assert.match(refused, /^Error: .*Requires read access to/);
});

Deno.test("A plug-in that is broken costs only itself, and a name of ours stays ours", async () => {
  await using home = await GatewayHome.make();
  const write = async (name: string, text: string) => {
    await Deno.writeTextFile(join(home.path, name), text);
    return { module: join(home.path, name) };
  };
  const tool = (name: string) =>
    `export const tools = [{ name: "${name}", description: "d", parameters: {}, call: () => "x" }];`;
  const plugins = [
    await write("throws.ts", 'throw new TypeError("I am broken");'),
    await write("empty.ts", "export const nothing = 1;"),
    await write("clash.ts", tool("read_file")),
    await write("odd.ts", tool("Not A Name")),
    await write("fine.ts", tool("fine")),
    { module: join(home.path, "missing.ts") },
  ];
  await using gateway = await GatewayProcess.start(home, { config: { tools: { plugins } } });
  assert.match(gateway.output, /^Plug-in \S+throws\.ts: off: I am broken$/m);
  assert.match(gateway.output, /^Plug-in \S+empty\.ts: off: .*exports no list "tools"/m);
  assert.match(gateway.output, /^Plug-in \S+clash\.ts: no tool \(.*taken: read_file\)$/m);
  assert.match(gateway.output, /^Plug-in \S+odd\.ts: off: .*lower snake_case/m);
  assert.match(gateway.output, /^Plug-in \S+fine\.ts: fine$/m);
  assert.match(gateway.output, /^Plug-in \S+missing\.ts: off: /m);
  assert.equal(await gateway.stop(), 0);
});
