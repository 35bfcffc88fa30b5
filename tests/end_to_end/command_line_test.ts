import assert from "node:assert/strict";
import { join } from "node:path";
import { GatewayHome, runTroupe, writeConfig } from "../support/gateway_process.ts";
import { PROGRAM } from "../support/troupe_program.ts";
import { TroupeCommand } from "../support/troupe_command.ts";
import { until } from "../support/until.ts";
import { callTool, lastUserText, ModelServer, say } from "../simulators/model_server.ts";
import type { JsonObject } from "../../actors/kernel/json.ts";

function echo(): Promise<ModelServer> {
  return ModelServer.start((request) =>
    say("echo ", lastUserText(request).split("\n").at(-1) ?? "")
  );
}

Deno.test("A pipe is answered line by line, and ends after the last answer", async () => {
  await using home = await GatewayHome.make();
  await using model = await echo();
  await writeConfig(home, { model });
  await using agent = new TroupeCommand({ home: home.path, args: ["agent"] });
  await agent.type("one\n\n  two 你好 👋🏽  \nthree");
  await agent.endInput();
  assert.equal(await agent.ended(), 0);
  assert.equal(agent.stdout, "echo one\necho two 你好 👋🏽\necho three\n");
  assert.equal(agent.stderr, "");
});

Deno.test("A pipe with a farewell leaves the rest unasked", async () => {
  await using home = await GatewayHome.make();
  await using model = await echo();
  await writeConfig(home, { model });
  await using agent = new TroupeCommand({ home: home.path, args: ["agent"] });
  await agent.type("one\nQUIT\ntwo\n");
  assert.equal(await agent.ended(), 0);
  assert.equal(agent.stdout, "echo one\n");
});

Deno.test("A question whose answer fails ends with exit code 1", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start(() => ({
    status: 401,
    body: { error: { message: "no such key" } },
  }));
  await writeConfig(home, { model });
  const { code, stdout } = await runTroupe(["agent", "-m", "hi"], home.path);
  assert.equal(code, 1);
  assert.match(stdout, /error|failed/i);
});

Deno.test("Two questions at once without a gateway wait for each other", async () => {
  await using home = await GatewayHome.make();
  await using model = await echo();
  await writeConfig(home, { model });
  const results = await Promise.all(
    ["one", "two"].map((word) => runTroupe(["agent", "-s", word, "-m", word], home.path)),
  );
  assert.deepEqual(results.map(({ code, stdout }) => [code, stdout]), [
    [0, "echo one\n"],
    [0, "echo two\n"],
  ]);
});

Deno.test("Ctrl-C at a question without a gateway stops it for good", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([{ steps: [{ type: "stall" }] }, say("fresh")]);
  await writeConfig(home, { model });
  await using agent = new TroupeCommand({ home: home.path, args: ["agent", "-m", "for ever"] });
  await model.request(0);
  agent.signal("SIGINT");
  assert.equal(await agent.ended(), 130);
  const { stdout } = await runTroupe(["agent", "-m", "again"], home.path);
  assert.equal(stdout, "fresh\n");
});

/** What keeps a gateway from starting, and the words that must be in its one line. */
const REFUSALS: readonly (readonly [string, JsonObject, readonly RegExp[]])[] = [
  ["a bad value", { gateway: { port: "many" } }, [/gateway\.port/, /config\.json/]],
  ["an unknown provider", { agents: { defaults: { provider: "nobody" } } }, [
    /agents\.defaults\.provider/,
  ]],
  ["a taken port", { gateway: { host: "127.0.0.1", port: 1 } }, [/gateway\.port/, /--port/]],
  ["a workspace that is a file", { agents: { defaults: { workspace: "config.json" } } }, [
    /agents\.defaults\.workspace/,
  ]],
];

Deno.test.each(REFUSALS)(
  "A gateway with %s says so in one line and ends with 2",
  async (what, config, words) => {
    await using home = await GatewayHome.make();
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const port = what === "a taken port"
      ? { gateway: { host: "127.0.0.1", port: taken.addr.port } }
      : {};
    await Deno.writeTextFile(
      join(home.path, "config.json"),
      JSON.stringify({ ...config, ...port }),
    );
    const { code, stderr } = await runTroupe(["gateway"], home.path);
    const errors = stderr.split("\n").filter((line) => line.startsWith("Error: "));
    assert.equal(code, 2, stderr);
    assert.equal(errors.length, 1, stderr);
    for (const word of words) assert.match(errors[0] ?? "", word);
    assert.doesNotMatch(stderr, /^\s+at /m);
  },
);

Deno.test("A gateway whose state folder is a file says so, and what to do", async () => {
  await using home = await GatewayHome.make();
  home.withoutReplay();
  home.withoutReplay();
  await writeConfig(home, {});
  await Deno.writeTextFile(join(home.path, "state"), "");
  const { code, stderr } = await runTroupe(["gateway"], home.path);
  assert.equal(code, 2);
  assert.match(
    stderr,
    /^Error: Cannot use state folder "[^"]+": [^\n]*; make it a folder [^\n]*\n$/,
  );
});

Deno.test("A gateway with a damaged journal says so", async () => {
  await using home = await GatewayHome.make();
  home.withoutReplay();
  home.withoutReplay();
  await writeConfig(home, {});
  await Deno.mkdir(join(home.path, "state"));
  await Deno.writeTextFile(join(home.path, "state", "journal.sqlite"), "x".repeat(8_192));
  const { code, stderr } = await runTroupe(["gateway"], home.path);
  assert.equal(code, 2);
  assert.match(stderr, /^Error: Cannot use journal [^\n]*damaged[^\n]*\n$/);
});

Deno.test.each<[Deno.Signal]>([["SIGTERM"], ["SIGINT"], ["SIGHUP"]])(
  "A gateway drains on %s, line by line, and ends with 0",
  async (signal) => {
    await using home = await GatewayHome.make();
    await writeConfig(home, {});
    await using gateway = new TroupeCommand({ home: home.path, args: ["gateway"] });
    await gateway.shows("Ready\n");
    gateway.signal(signal);
    assert.equal(await gateway.ended(), 0);
    assert.match(gateway.stdout, new RegExp(`\nStopping \\(${signal}\\).*\n(  .*\n)+Stopped\n$`));
  },
);

Deno.test("A second signal ends a gateway at once", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([{ steps: [{ type: "stall" }] }]);
  await writeConfig(home, { model });
  await using gateway = new TroupeCommand({ home: home.path, args: ["gateway"] });
  await gateway.shows("Ready\n");
  await using _agent = new TroupeCommand({ home: home.path, args: ["agent", "-m", "for ever"] });
  await model.request(0);
  gateway.signal("SIGTERM");
  await gateway.shows("Stopping (SIGTERM)");
  gateway.signal("SIGTERM");
  assert.equal(await gateway.ended(), 143);
  assert.doesNotMatch(gateway.stdout, /Stopped/);
});

Deno.test("A gateway whose reader has gone goes on serving", async () => {
  await using home = await GatewayHome.make();
  await using model = await echo();
  await writeConfig(home, { model });
  await using gateway = new TroupeCommand({ home: home.path, args: ["gateway", "--verbose"] });
  await gateway.shows("Ready\n");
  await gateway.closeOutput();
  const { stdout } = await runTroupe(["agent", "-m", "hi"], home.path);
  assert.equal(stdout, "echo hi\n");
  gateway.signal("SIGTERM");
  assert.equal(await gateway.ended(), 0);
});

Deno.test("No child of the gateway finds a secret in its environment", async () => {
  await using home = await GatewayHome.make();
  await using model = await ModelServer.start([
    callTool("exec", { command: "env | grep -c KEY" }),
    say("looked"),
  ]);
  await writeConfig(home, {
    model,
    config: { providers: { custom: { apiKey: "${MY_KEY}", apiBase: model.baseUrl } } },
  });
  const env = { MY_KEY: "sk-test-0123456789abcdef" };
  await using agent = new TroupeCommand({ home: home.path, args: ["agent", "-m", "look"], env });
  assert.equal(await agent.ended(), 0);
  const results = model.requests[1]?.body.messages.filter(({ role }) => role === "tool") ?? [];
  assert.match(String(results[0]?.content), /(^|\n)0(\n|$)/);
  assert.equal(model.requests[0]?.headers["authorization"], "Bearer sk-test-0123456789abcdef");
});

Deno.test("A question whose answer cannot be written says so and ends with exit code 1", async () => {
  await using home = await GatewayHome.make();
  await using model = await echo();
  await writeConfig(home, { model });
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-c", '"$0" "$@" agent -m hi > /dev/full', ...PROGRAM],
    env: { TROUPE_HOME: home.path, NO_COLOR: "1" },
  }).output();
  assert.equal(code, 1);
  assert.match(new TextDecoder().decode(stderr), /^Error: Cannot write the answer: .+\n$/);
});

Deno.test("A question whose conversation cannot be read is left by a signal", async () => {
  await using home = await GatewayHome.make();
  home.withoutReplay();
  home.withoutReplay();
  await using model = await echo();
  await writeConfig(home, { model });
  await Deno.mkdir(join(home.workspace, "sessions", "cli_direct.jsonl"), { recursive: true });
  const state = join(home.path, "state", "gateway.lock");
  await using agent = new TroupeCommand({ home: home.path, args: ["agent", "-m", "hi"] });
  await until(async () => await Deno.stat(state).then(() => true, () => false));
  agent.signal("SIGTERM");
  assert.equal(await agent.ended(), 143);
});
