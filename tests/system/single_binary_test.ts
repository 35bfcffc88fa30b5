import assert from "node:assert/strict";
import { z } from "zod";
import { GatewayHome, GatewayProcess, runTroupe, writeConfig } from "../support/gateway_process.ts";
import { until } from "../support/until.ts";
import { FeishuPlatform } from "../simulators/feishu_server.ts";
import { callTool, ModelServer, say } from "../simulators/model_server.ts";
import { HOST_ARGUMENT, hostProcesses } from "../../actors/tools/host/adapters/process_link.ts";
import { tryTables } from "../support/gateway_tables.ts";
import { HARMLESS, HOSTILE, trappedBench, tryCalls } from "../support/path_traps.ts";
import { lying } from "../support/mcp_bench.ts";
import { buildBinary } from "./single_binary.ts";
import { rightsIn } from "../../.ci/compile/compile.ts";
import project from "../../deno.json" with { type: "json" };

const FOLDER = await Deno.makeTempDir({ prefix: "troupe-binary-" });
const BUILD = await buildBinary(FOLDER);
const PROGRAM = BUILD.state === "built" ? [BUILD.path] : [];
/** A test that cannot run says so by its name. */
const NOTE = BUILD.state === "built" ? "" : ` [skipped: ${BUILD.reason}]`;
const ignore = BUILD.state !== "built";

Deno.test.afterAll(() => Deno.remove(FOLDER, { recursive: true }));

Deno.test({
  name: `The single binary tells its version, and needs nothing for it${NOTE}`,
  ignore,
  async fn() {
    const { code, stdout } = await runTroupe(["--version"], "/nowhere", PROGRAM);
    assert.deepEqual([code, stdout], [0, `${project.version}\n`]);
  },
});

Deno.test({
  name: `The single binary makes a workspace and answers in the terminal${NOTE}`,
  ignore,
  async fn() {
    await using home = await GatewayHome.make();
    await using model = await ModelServer.start([
      callTool("list_dir", { path: "." }),
      say("All is where it belongs 📦"),
    ]);
    await writeConfig(home, { model });
    const ask = ["agent", "-m", "look around"];
    const { code, stdout, stderr } = await runTroupe(ask, home.path, PROGRAM);
    assert.equal(stdout, "All is where it belongs 📦\n", stderr);
    assert.equal(code, 0);
    const [, , listing = ""] = await home.transcript("cli_direct");
    assert.match(listing, /SOUL\.md/);
  },
});

Deno.test({
  name: `The single binary's tool hosts keep to the workspace${NOTE}`,
  ignore,
  async fn() {
    const start = hostProcesses(() => [...PROGRAM, HOST_ARGUMENT]);
    await using bench = await trappedBench({ start });
    assert.deepEqual(await tryCalls(HOSTILE, bench), []);
    assert.deepEqual(await tryCalls(HARMLESS, bench), []);
  },
});

Deno.test({
  name: `The single binary answers from a channel in a Worker${NOTE}`,
  ignore,
  async fn() {
    await using home = await GatewayHome.make();
    await using platform = await FeishuPlatform.start();
    await using model = await ModelServer.start([say("From one file.")]);
    await using gateway = await GatewayProcess.start(home, {
      model,
      feishu: platform,
      program: PROGRAM,
    });
    await platform.connected({ timeoutMs: 20_000 });
    platform.userSays({ text: "hello binary" });
    await until(() => platform.chat("ou_alice").fromBot[0]?.card?.isStreaming === false, {
      timeoutMs: 20_000,
      what: "a closed card",
    });
    assert.equal(platform.chat("ou_alice").fromBot[0]?.text, "From one file.");
    assert.equal(await gateway.stop(), 0);
  },
});

for (const sandbox of ["bwrap", "virtual"] as const) {
  Deno.test({
    name:
      `In the single binary, shell ${sandbox}, hostile calls get nowhere and everyday ones pass${NOTE}`,
    ignore,
    fn: () => tryTables({ sandbox, programOf: () => Promise.resolve(PROGRAM) }),
  });
}

/** A tool that reads what it is told to. */
const READER = `export const tools = [{
  name: "reader",
  description: "Reads",
  parameters: { type: "object", properties: { path: { type: "string" } } },
  concurrency: "shared",
  timeoutMs: 5000,
  call: ({ path }, { workspace }) => Deno.readTextFile(workspace + "/" + path),
}];`;

Deno.test({
  name: `The single binary runs plug-ins from files, narrowed, and refuses others${NOTE}`,
  ignore,
  async fn() {
    await using home = await GatewayHome.make();
    await using model = await ModelServer.start([
      callTool("reader", { path: "a.txt" }),
      callTool("reader", { path: "../config.json" }),
      say("Read."),
    ]);
    const module = `${home.path}/plug/reader.js`;
    await Deno.mkdir(`${home.path}/plug`);
    await Deno.mkdir(home.workspace);
    await Deno.writeTextFile(module, READER);
    await Deno.writeTextFile(`${home.path}/plug/typed.ts`, TYPED);
    await Deno.writeTextFile(`${home.workspace}/a.txt`, "the text of a");
    const plugins = [
      { module, rights: { read: ["workspace"] } },
      { module: `${home.path}/plug/typed.ts` },
      { module: "npm:zod@4.1.12" },
    ];
    const config = { tools: { plugins, exec: { enable: false } } };
    await writeConfig(home, { model, config });
    await using gateway = await GatewayProcess.start(home, { model, config, program: PROGRAM });
    assert.match(gateway.output, /^Plug-in \S+reader\.js: reader$/m);
    assert.match(gateway.output, /^Plug-in \S+typed\.ts: typed$/m);
    assert.match(gateway.output, /^Plug-in npm:zod\S*: off: .*loads no packages/m);
    const asked = await runTroupe(["agent", "-m", "read"], home.path, PROGRAM);
    assert.equal(asked.stdout, "Read.\n", asked.stderr);
    const [read = "", refused = ""] = (model.requests.at(-1)?.body.messages ?? [])
      .filter(({ role }) => role === "tool").map(({ content }) => String(content));
    assert.equal(read, "the text of a");
    assert.match(refused, /^Error: .*Requires read access to/);
    assert.equal(await gateway.stop(), 0);
  },
});

/** The same in TypeScript, with a name of its own. */
const TYPED = `import type { PluginTool } from "npm:unknown";
${READER.replace("reader", "typed").replace("tools =", "tools: readonly PluginTool[] =")}`;

const printed = z.object({ rights: z.record(z.string(), z.array(z.string())) });

Deno.test({
  name: `The single binary does its work with the rights that it prints, and no others${NOTE}`,
  ignore,
  async fn() {
    await using home = await GatewayHome.make();
    await using model = await ModelServer.start([
      callTool("exec", { command: "echo from the shell; cat ../config.json" }),
      callTool("write_file", { path: "note.txt", content: "kept" }),
      callTool("web_fetch", { url: "http://127.0.0.1:1/" }),
      say("Done."),
    ]);
    const config = { tools: { exec: { sandbox: "virtual" } } };
    await writeConfig(home, { model, config });
    const { stdout, stderr } = await runTroupe(["permissions", "--json"], home.path, PROGRAM);
    assert.equal(stderr, "");
    const exact = `${home.path}/troupe`;
    const { rights } = printed.parse(JSON.parse(stdout.replaceAll(String(PROGRAM[0]), exact)));
    await Deno.writeTextFile(`${home.path}/rights.json`, JSON.stringify({ rights }));
    await buildBinary(home.path, await rightsIn(`${home.path}/rights.json`));
    await using gateway = await GatewayProcess.start(home, { model, config, program: [exact] });
    assert.match(await gateway.toolsLine(), /shell: virtual:/);
    assert.doesNotMatch(gateway.output, /Rights:/);
    const asked = await runTroupe(["agent", "-m", "go"], home.path, [exact]);
    assert.equal(asked.stdout, "Done.\n", asked.stderr);
    const [shell = "", written = "", fetched = ""] = (model.requests.at(-1)?.body.messages ?? [])
      .filter(({ role }) => role === "tool").map(({ content }) => String(content));
    assert.match(shell, /from the shell/);
    assert.doesNotMatch(shell, /apiKey/);
    assert.match(written, /^Wrote/);
    assert.match(fetched, /private|loopback/);
    assert.equal(await gateway.stop(), 0);
    assert.doesNotMatch(gateway.output, /NotCapable|Requires \w+ access/);
    const elsewhere = await runTroupe(["config", "check", "--config", "/etc/hosts"], home.path, [
      exact,
    ]);
    assert.notEqual(elsewhere.code, 0);
    assert.match(elsewhere.stderr, /it cannot be read/);
  },
});

/** A hook that keeps one tool from running. */
const GUARD = `export function tool_before({ tool }) {
  if (tool === "list_dir") return { decision: "refuse", reason: "said the guard" };
}`;

/** Commands, and what each says. That all modules are inside is held without starting them. */
const COMMANDS: readonly (readonly [line: string, said: RegExp])[] = [
  ["sessions search zebra", /locker code is zebra/],
  ["doctor --offline --json", /inside the compiled program/],
];

Deno.test({
  name: `The single binary has all inside that its commands, hooks and memory load${NOTE}`,
  ignore,
  async fn() {
    await using home = await GatewayHome.make();
    await using copy = await GatewayHome.make();
    await using model = await ModelServer.start([
      say("Noted."),
      callTool("list_dir", { path: "." }),
      callTool("recall", { query: "locker code" }),
      callTool("mcp_friend_echo", { text: "over here" }),
      say("It is zebra."),
    ]);
    const guard = `${home.path}/guard.js`;
    await Deno.writeTextFile(guard, GUARD);
    const config = {
      api: { enabled: true, port: 0 },
      hooks: [{ name: "guard", on: ["tool_before"], module: guard }],
      tools: { exec: { enable: false }, mcpServers: { friend: lying("none") } },
    };
    await using gateway = await GatewayProcess.start(home, { model, config, program: PROGRAM });
    const ask = async (text: string) => {
      const { stdout, stderr } = await runTroupe(["agent", "-m", text], home.path, PROGRAM);
      return stdout + stderr;
    };
    assert.equal(await ask("My locker code is zebra"), "Noted.\n");
    assert.equal(await ask("What is my locker code?"), "It is zebra.\n");
    const results = (model.requests.at(-1)?.body.messages ?? [])
      .filter(({ role }) => role === "tool").map(({ content }) => String(content));
    assert.match(results[0] ?? "", /said the guard/);
    assert.match(results[1] ?? "", /My locker code is zebra/);
    assert.match(results[2] ?? "", /echo: over here/);
    for (const [line, said] of COMMANDS) {
      const { code, stdout, stderr } = await runTroupe(line.split(" "), home.path, PROGRAM);
      assert.match(stdout, said, `${line}: ${stderr}`);
      assert.equal(code, 0, `${line}: ${stdout}${stderr}`);
    }
    const [, api = ""] = /^API: (\S+)/m.exec(gateway.output) ?? [];
    const models = await (await fetch(`${api}/models`)).json();
    assert.equal(models.data[0].id, "test-model");
    const archive = `${home.path}/all.tar.gz`;
    const backup = await runTroupe(["backup", archive], home.path, PROGRAM);
    assert.equal(backup.code, 0, backup.stderr);
    assert.equal(await gateway.stop(), 0);
    const restored = await runTroupe(["restore", archive], copy.path, PROGRAM);
    assert.equal(restored.code, 0, restored.stderr);
    copy.withoutReplay(); // it is fenced
  },
});
