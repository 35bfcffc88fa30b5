import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";
import { systemWorld } from "../../../../actors/gateway/adapters/system_world.ts";
import { openJournal } from "../../../../actors/gateway/state_journal.ts";
import type { JsonObject } from "../../../../actors/kernel/json.ts";
import { syncWorkspace } from "../../../../actors/session/adapters/workspace_template.ts";
import type { Terminal } from "../../../../channels/cli/adapters/terminal.ts";
import { doctorCommand } from "../../../../channels/cli/commands/doctor.ts";
import { CHECKS } from "../../../../channels/cli/doctor/checks.ts";
import { ModelServer, refuse, say } from "../../../simulators/model_server.ts";
import { TelegramPlatform } from "../../../simulators/telegram_server.ts";
import { ManualClock } from "../../../support/manual_clock.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

const reportSchema = z.object({
  ok: z.boolean(),
  findings: z.array(z.object({
    check: z.string(),
    state: z.enum(["ok", "warning", "fault", "skipped"]),
    detail: z.string(),
    fix: z.string().nullable(),
  })),
});

/** A folder that everything is set up in. */
class Home implements AsyncDisposable {
  readonly file: string;
  readonly workspace: string;
  readonly stateFolder: string;
  readonly #folder: AsyncDisposable;

  private constructor(folder: AsyncDisposable & { readonly path: string }) {
    this.#folder = folder;
    this.file = join(folder.path, "config.json");
    this.workspace = join(folder.path, "workspace");
    this.stateFolder = join(folder.path, "state");
  }

  static async make(config: JsonObject | string): Promise<Home> {
    const home = new Home(await temporaryFolder());
    const { agents, ...others } = typeof config === "string" ? {} : config;
    const defaults = { workspace: home.workspace, provider: "custom", model: "test-model" };
    const whole = {
      agents: agents ?? { defaults },
      gateway: { port: 0 },
      tools: { exec: { enable: false } },
      ...others,
    };
    await Deno.writeTextFile(
      home.file,
      typeof config === "string" ? config : JSON.stringify(whole),
      { mode: 0o600 },
    );
    await syncWorkspace(home.workspace);
    await Deno.mkdir(home.stateFolder, { mode: 0o700 });
    return home;
  }

  /** Looks with the checks of these names alone; all without. */
  async look(names: readonly string[], flags: { readonly offline?: boolean } = {}) {
    let out = "";
    const terminal: Terminal = {
      write: (text) => out += text,
      writeError: (text) => out += text,
      isInteractive: false,
      hasColors: false,
    };
    // A starved machine takes longer than a person would wait.
    const checks = CHECKS.filter(({ name }) => names.length === 0 || names.includes(name))
      .map((check) => ({ ...check, timeoutMs: 120_000 }));
    const code = await doctorCommand({ config: this.file, json: true, ...flags }, terminal, checks);
    const report = reportSchema.parse(JSON.parse(out));
    assert.equal(report.ok, code === 0);
    const bad = report.findings.filter(({ state }) => state === "warning" || state === "fault");
    return { code, out, bad, findings: report.findings };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

function custom(apiBase: string): JsonObject {
  return { custom: { apiBase, apiKey: "sk-doctor-secret" } };
}

Deno.test("doctor finds nothing wrong where everything is set up, having tried it", async () => {
  await using model = await ModelServer.start([say("ok")]);
  const platform = TelegramPlatform.start({ clock: new ManualClock() });
  await using _platform = platform;
  await using home = await Home.make({
    providers: custom(model.baseUrl),
    owners: ["telegram:7"],
    channels: {
      telegram: { enabled: true, apiRoot: platform.url, token: platform.token, allowFrom: ["7"] },
    },
  });
  const { code, bad, out, findings } = await home.look([]);
  assert.deepEqual([bad, code], [[], 0]);
  assert.equal(model.requests.length, 1);
  assert.doesNotMatch(out, /sk-doctor-secret|AAtest-secret/);
  const told = (check: string) => findings.find((one) => one.check === check);
  assert.match(told("Tools")?.detail ?? "", /tried and denied/);
  assert.match(told("Channels")?.detail ?? "", /telegram: bot/);
  const left = await Array.fromAsync(Deno.readDir(home.stateFolder), ({ name }) => name);
  assert.deepEqual(left, ["gateway.lock"]);
});

Deno.test("doctor tells every mistake of a configuration, and goes on with what needs none", async () => {
  await using home = await Home.make('{"gateway": {"port": "x"}, "tools": {"exec": 5}}');
  const { code, bad, findings } = await home.look([], { offline: true });
  assert.equal(code, 1);
  assert.deepEqual(bad.map(({ check, state }) => `${check} ${state}`), [
    "Configuration fault",
    "Configuration fault",
  ]);
  assert.ok(findings.some(({ check, state }) => check === "Deno" && state === "ok"));
  assert.ok(findings.some(({ check, state }) => check === "Model" && state === "skipped"));
});

Deno.test("doctor asks nobody over the network with --offline", async () => {
  await using model = await ModelServer.start([]);
  await using home = await Home.make({ providers: custom(model.baseUrl) });
  const { findings } = await home.look(["Model", "Clock", "DNS"], { offline: true });
  assert.equal(model.connections, 0);
  assert.equal(findings.filter(({ state }) => state === "skipped").length, 3);
});

Deno.test("doctor says what is wrong with the key of a model, and does not show it", async () => {
  await using model = await ModelServer.start(() =>
    refuse(401, { message: "bad sk-doctor-secret" })
  );
  await using home = await Home.make({ providers: custom(model.baseUrl) });
  const { code, bad, out } = await home.look(["Model"]);
  assert.equal(code, 1);
  assert.match(bad[0]?.fix ?? "", /check apiKey/);
  assert.doesNotMatch(out, /sk-doctor-secret/);
});

Deno.test("doctor says that no model is set up", async () => {
  await using home = await Home.make({ agents: { defaults: { model: "m" } } });
  const { code, bad } = await home.look(["Model"]);
  assert.equal(code, 1);
  assert.match(bad[0]?.fix ?? "", /onboard/);
});

Deno.test("doctor finds a channel whose token is refused, and one that nobody may write to", async () => {
  const platform = TelegramPlatform.start({ clock: new ManualClock() });
  await using _platform = platform;
  const telegram = { enabled: true, apiRoot: platform.url, token: "42:wrong-secret-of-mine" };
  await using home = await Home.make({ channels: { telegram } });
  const { code, bad, out } = await home.look(["Channels"]);
  assert.equal(code, 1);
  assert.match(bad[0]?.detail ?? "", /nobody may write/);
  assert.match(bad[1]?.detail ?? "", /does not know the token/);
  assert.equal(bad[1]?.fix, "channels login telegram");
  assert.doesNotMatch(out, /wrong-secret-of-mine/);
});

Deno.test("doctor names hosts that nobody knows, and MCP servers that do not start", async () => {
  await using home = await Home.make({
    providers: custom("http://no-such-host.invalid/v1"),
    tools: {
      exec: { enable: false },
      mcpServers: { gone: { command: "no-such-program-at-all" } },
    },
  });
  const { code, bad } = await home.look(["DNS", "MCP servers"]);
  assert.equal(code, 1);
  assert.deepEqual(bad.map(({ check, state }) => `${check} ${state}`), [
    "DNS fault",
    "MCP servers fault",
  ]);
  assert.match(bad[0]?.detail ?? "", /"no-such-host\.invalid" cannot be looked up/);
});

Deno.test("doctor finds a port that is taken", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await using home = await Home.make({ gateway: { port: taken.addr.port } });
  const { code, bad } = await home.look(["Gateway"]);
  assert.equal(code, 1);
  assert.match(bad[0]?.fix ?? "", /config set gateway\.port/);
});

Deno.test("doctor finds files that others may read, that are no text, and that are missing", async () => {
  await using home = await Home.make({});
  await Deno.chmod(home.file, 0o644);
  await Deno.chmod(home.stateFolder, 0o755);
  await Deno.remove(join(home.workspace, "HEARTBEAT.md"));
  await Deno.writeFile(join(home.workspace, "SOUL.md"), new Uint8Array([0xff, 0xfe]));
  await Deno.writeTextFile(join(home.workspace, "memory/history.jsonl"), '{"a":1}\nnonsense\n');
  await Deno.writeTextFile(join(home.workspace, "sessions/cli_direct.jsonl.corrupt"), "x\n");
  const { code, bad } = await home.look(["Configuration", "Folders", "Memory", "Workspace"]);
  assert.equal(code, 1);
  assert.deepEqual(bad.map(({ check, state }) => `${check} ${state}`), [
    "Configuration warning",
    "Folders warning",
    "Workspace warning",
    "Memory fault",
    "Memory warning",
    "Memory warning",
  ]);
  assert.match(bad[0]?.fix ?? "", /^chmod 600 /);
  assert.match(bad[2]?.detail ?? "", /HEARTBEAT\.md/);
  assert.match(bad[3]?.detail ?? "", /SOUL\.md cannot be read: it is not UTF-8/);
});

Deno.test("doctor looks at locks and at the journal, and neither meets the other", async () => {
  await using home = await Home.make({});
  await openJournal(home.stateFolder, systemWorld())[Symbol.asyncDispose]();
  const { code, bad, findings } = await home.look(["Gateway", "Journal"]);
  assert.deepEqual([code, bad], [0, []]);
  assert.equal(findings.at(-1)?.detail, "nothing failed or is in doubt");
});

Deno.test("doctor names skills that cannot be read, and those of the workspace that lack something", async () => {
  await using home = await Home.make({ providers: {} });
  const skill = async (name: string, text: string) => {
    await Deno.mkdir(join(home.workspace, "skills", name), { recursive: true });
    await Deno.writeTextFile(join(home.workspace, "skills", name, "SKILL.md"), text);
  };
  const needs = '{"troupe": {"requires": {"bins": ["no-such-program-here"]}}}';
  await skill("needy", `---\ndescription: Needs much.\nmetadata: '${needs}'\n---\nDo it.`);
  await skill("bro!ken", "Do it.");
  const { bad, findings } = await home.look(["Skills"]);
  assert.deepEqual(findings[0]?.state, "ok");
  assert.match(bad[0]?.detail ?? "", /bro!ken.SKILL\.md is left out: the name of its folder/);
  assert.equal(bad[1]?.detail, '"needy" lacks CLI: no-such-program-here');
  assert.deepEqual(bad.map(({ state }) => state), ["warning", "warning"]);
});
