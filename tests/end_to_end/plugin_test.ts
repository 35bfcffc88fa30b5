import assert from "node:assert/strict";
import { loadingProblem } from "../../actors/gateway/adapters/module_places.ts";
import { helpText } from "../../actors/session/command_table.ts";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { freePort } from "../support/free_port.ts";
import { GatewayHome, GatewayProcess, runTroupe, writeConfig } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";

const EXAMPLE = fileURLToPath(new URL("../fixtures/plugins/word_count_tool.ts", import.meta.url));

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
  assert.match(gateway.output, /^Plug-in .+throws\.ts: off: I am broken$/m);
  assert.match(gateway.output, /^Plug-in .+empty\.ts: off: .*exports no list "tools"/m);
  assert.match(gateway.output, /^Plug-in .+clash\.ts: no tool \(.*taken: read_file\)$/m);
  assert.match(gateway.output, /^Plug-in .+odd\.ts: off: .*lower snake_case/m);
  assert.match(gateway.output, /^Plug-in .+fine\.ts: fine$/m);
  assert.match(gateway.output, /^Plug-in .+missing\.ts: off: /m);
  assert.equal(await gateway.stop(), 0);
});

Deno.test.each([
  ["npm:left-pad@1.3.0", /no packages/],
  ["https://example.org/a.js", /no packages/],
  ["file:///a/tool.tsx", /no JSX/],
  ["file:///a/tool.jsx", /no JSX/],
  ["file:///a/tool.ts", null],
  ["file:///a/tool.mts", null],
  ["file:///a/tool.mjs", null],
  ["file:///a/tool.js", null],
])("The compiled program says of a module %s whether it can be loaded", (url, problem) => {
  assert.match(loadingProblem(url, true) ?? "", problem ?? /^$/);
  assert.equal(loadingProblem(url, false), null);
});

Deno.test("What a plug-in prints does not get among its answers", async () => {
  await using home = await GatewayHome.make();
  const module = join(home.path, "chatty.ts");
  await Deno.writeTextFile(
    module,
    `console.log("loading"); export const tools = [{ name: "chatty", description: "d",
    parameters: {}, call: () => { console.log("{}"); console.table([1]); return "said"; } }];`,
  );
  await using model = await ModelServer.start([callTool("chatty", {}), say("Heard.")]);
  await writeConfig(home, { model, config: { tools: { plugins: [{ module }] } } });
  const { stdout, stderr } = await runTroupe(["agent", "-m", "go"], home.path);
  assert.equal(stdout, "Heard.\n", stderr);
  assert.deepEqual(resultsOf(model), ["said"]);
});

/** A line of help as the menu has it. */
function withoutArgument(line: string): string {
  return line.replace(/ \[[a-z]+\]:/, ":");
}

const CHANNEL = fileURLToPath(new URL("../fixtures/plugins/echo_channel.ts", import.meta.url));

Deno.test("A plug-in channel carries messages from its Worker, under its named hosts only", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([say("Echo!")]);
  const port = freePort();
  const other = freePort();
  const section = { enabled: true, module: CHANNEL, allowFrom: ["*"], port };
  const channels = {
    echo: { ...section, hosts: [`127.0.0.1:${port}`] },
    // It may not listen on a port that its entry does not name.
    narrow: { ...section, port: other, hosts: ["127.0.0.1:1"] },
    broken: { ...section, module: `${CHANNEL}.missing`, hosts: [] },
  };
  await using gateway = await GatewayProcess.start(home, { model, config: { channels } });
  assert.match(gateway.output, /^Channels: echo, narrow, broken$/m);
  const answer = async () => {
    const response = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "hello" });
    return await response.text();
  };
  await until(async () => (await gateway.health())["status"] === "ok", { what: "health" });
  await until(() => gateway.output.includes(`"echo" is ready`), { timeoutMs: 20_000 });
  assert.equal(await answer(), "Echo!");
  const menu = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  assert.deepEqual(menu.split("\n"), helpText().split("\n").slice(1).map(withoutArgument));
  await until(() => /narrow.*Requires net access/s.test(gateway.output), { timeoutMs: 20_000 });
  assert.match(gateway.output, /broken.*(not found|Cannot load|Module not found)/is);
  assert.equal(await gateway.stop(), 0);
});

Deno.test("Plug-ins work under the printed flags", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("word_count", { path: "SOUL.md" }),
    say("Counted."),
  ]);
  const port = freePort();
  const options = {
    model,
    config: {
      channels: {
        echo: {
          enabled: true,
          module: CHANNEL,
          allowFrom: ["*"],
          port,
          hosts: [`127.0.0.1:${port}`],
        },
      },
      tools: {
        exec: { enable: false },
        plugins: [{ module: EXAMPLE, rights: { read: ["workspace"] } }],
      },
    },
  };
  await writeConfig(home, options);
  const { stdout } = await runTroupe(["permissions", "--json"], home.path);
  const { command } = z.object({ command: z.array(z.string()) }).parse(JSON.parse(stdout));
  const program = command.slice(0, -1);
  await using gateway = await GatewayProcess.start(home, { ...options, program });
  assert.doesNotMatch(gateway.output, /Rights:|^Plug-in .*: off/m);
  await until(() => gateway.output.includes(`"echo" is ready`), { timeoutMs: 20_000 });
  const response = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "hello" });
  assert.equal(await response.text(), "Counted.");
  assert.match(resultsOf(model)[0] ?? "", /lines, \d+ words/);
  assert.equal(await gateway.stop(), 0);
});
