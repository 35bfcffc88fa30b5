import assert from "node:assert/strict";
import { loadConfig } from "../../../actors/config/load_config.ts";
import { CONFIG_FILE, load, loadSettings, loadText, refusalOf } from "./_load.ts";

Deno.test("A missing default file gives the built-in defaults", async () => {
  const { config, warnings } = await load({});
  assert.deepEqual(warnings, []);
  assert.equal(config.agents.defaults.model, "anthropic/claude-opus-4-5");
  assert.equal(config.agents.defaults.contextWindowTokens, 65_536);
  assert.equal(config.agents.defaults.maxConcurrentRequests, 3);
  assert.equal(config.agents.defaults.idleCompactAfterMinutes, 0);
  assert.equal(config.gateway.heartbeat.keepRecentMessages, 8);
  assert.equal(config.tools.restrictToWorkspace, true);
  assert.equal(config.tools.exec.sandbox, "auto");
  assert.equal(config.tools.exec.network, "filtered");
  assert.deepEqual(config.owners, []);
  assert.deepEqual(config.channels.enabled, {});
});

Deno.test("An empty object gives the same as no file", async () => {
  assert.deepEqual((await loadSettings({})).config, (await load({})).config);
});

Deno.test("A missing --config file is a refusal that names it", async () => {
  const error = await refusalOf(load({ configPath: "~/other.json" }));
  assert.equal(error.code, "config_missing");
  assert.equal(error.exitCode, 2);
  assert.match(error.message, /^Cannot load "\/home\/ada\/other\.json": .*--config$/);
});

Deno.test("A file that cannot be read is a refusal that names it and keeps the cause", async () => {
  const cause = new Error("Is a directory");
  const loading = loadConfig({
    source: {
      readTextFile: () => Promise.reject(cause),
      env: {},
      homeDir: "/home/ada",
      cwd: "/",
    },
    manifests: [],
  });
  const error = await refusalOf(loading);
  assert.equal(error.code, "config_unreadable");
  assert.equal(error.cause, cause);
  assert.match(error.message, /\/home\/ada\/\.troupe\/config\.json/);
});

Deno.test("A byte order mark at the start of the file is skipped", async () => {
  const { config } = await loadText('\uFEFF{"api":{"port":1234}}');
  assert.equal(config.api.port, 1234);
});

Deno.test.each<[string, readonly string[]]>([
  ['{"api":{"port":1,"port":2}}', ["api.port"]],
  ['{"api":{"port":1},"api":{"port":2}}', ["api"]],
  ['{"api":{"port":1,"port":3,"port":2}}', ["api.port"]],
  [
    '{"agents":{"defaults":{"fallbackModels":[{"model":"a","model":"b"}]}},"api":{"port":2}}',
    ["agents.defaults.fallbackModels[0].model"],
  ],
  ['{"api":{"port":2},"gateway":{"port":2}}', []],
])("Keys that stand twice are warned of by name, and the last counts: %s", async (text, keys) => {
  const { config, warnings } = await loadText(text);
  assert.equal(config.api.port === 2 || config.agents.defaults.fallbackModels.length > 0, true);
  assert.deepEqual(
    warnings,
    keys.map((key) => `${key} is set more than once: the last one counts; keep one`),
  );
});

Deno.test.each([
  ['{"a":1,}', "line 1, column 8"],
  ['{\n  "api": {\n    "port": 1\n    "host": "x"\n  }\n}', "line 4, column 5"],
  ['{\r\n"a":', "line 2, column 5"],
  ['{\n // why\n"a":1}', "line 2, column 2"],
  ["", "line 1, column 1"],
  ['{"a": tru}', "line 1, column 7"],
])("Malformed JSON %j is a refusal that says where", async (text, where) => {
  const error = await refusalOf(loadText(text));
  assert.equal(error.code, "config_malformed");
  assert.ok(error.message.includes(where), error.message);
  assert.ok(error.message.includes(CONFIG_FILE));
  assert.ok(!error.message.includes("\n"));
});

Deno.test("A malformed file shows nothing of its text, not even as a cause", async () => {
  const error = await refusalOf(loadText('{"apiKey": "sk-hidden" oops'));
  assert.ok(!Deno.inspect(error).includes("sk-hidden"));
});

Deno.test("Nesting without end is a refusal, not a crash", async () => {
  const error = await refusalOf(loadText(`{"a":${"[".repeat(500_000)}`));
  assert.equal(error.code, "config_malformed");
});

Deno.test.each(["[]", "null", '"x"', "3", "true"])(
  "JSON that is no object, %s, is a refusal",
  async (text) => {
    const error = await refusalOf(loadText(text));
    assert.equal(error.code, "config_not_object");
    assert.ok(error.message.includes(CONFIG_FILE));
  },
);

Deno.test("All faults are told at once, one line each", async () => {
  const error = await refusalOf(loadSettings({
    gateway: { port: -1 },
    tools: { exec: null },
    providers: { openai: { apiKey: "${NOT_SET}" } },
    agents: { defaults: { temperature: "hot", provider: "auto" } },
  }));
  const lines = error.message.split("\n");
  assert.deepEqual(error.faults.map(({ key }) => key).toSorted(), [
    "agents.defaults.temperature",
    "gateway.port",
    "providers.openai.apiKey",
    "tools.exec",
  ]);
  assert.equal(lines.length, 4);
  for (const line of lines) assert.ok(line.startsWith(`Cannot load "${CONFIG_FILE}": `), line);
});

Deno.test("The loaded configuration is frozen to the last leaf", async () => {
  const { config } = await loadSettings({
    tools: { mcpServers: { files: { args: ["a"], env: { A: "1" } } } },
    channels: { pigeon: { enabled: true, wingToken: "t" }, smoke: { deep: { list: [] } } },
  });
  const loose: string[] = [];
  const visit = (value: unknown, path: string) => {
    if (typeof value !== "object" || value === null) return;
    if (!Object.isFrozen(value)) loose.push(path);
    for (const [key, inner] of Object.entries(value)) visit(inner, `${path}.${key}`);
  };
  visit(config, "config");
  assert.deepEqual(loose, []);
});

Deno.test("The configuration survives the way into a Worker", async () => {
  const { config } = await loadSettings({
    channels: { pigeon: { enabled: true, wingToken: "t" } },
  });
  assert.deepEqual(structuredClone(config), config);
});

Deno.test("Unknown keys are warnings with the nearest known key, at the root too", async () => {
  const { warnings } = await loadSettings({
    agent: {},
    agents: { defaults: { modle: "x" } },
    tools: { web: { serach: {} } },
    zzzzzzzz: 1,
    channels: { sendProgres: true },
    providers: { opanai: { apiKey: "k" } },
  });
  assert.deepEqual(warnings.map((warning) => warning.replace(/ is ignored/, "")).toSorted(), [
    "Unknown key agent: did you mean agents?",
    "Unknown key agents.defaults.modle: did you mean agents.defaults.model?",
    "Unknown key channels.sendProgres: did you mean channels.sendProgress?",
    "Unknown key tools.web.serach: did you mean tools.web.search?",
    "Unknown key zzzzzzzz: check its name",
    "Unknown provider providers.opanai: did you mean providers.openai? " +
    "A provider of your own needs apiBase",
  ]);
});

Deno.test("An unknown key cannot break the one line of its warning", async () => {
  const { warnings } = await loadSettings({ "a\nb\u2028c": 1 });
  assert.equal(warnings.length, 1);
  assert.doesNotMatch(warnings[0] ?? "", /[\n\u2028]/);
});

Deno.test("A config can be read twice without one reading touching the other", async () => {
  const first = await loadSettings({ tools: { ssrfWhitelist: ["100.64.0.0/10"] } });
  const second = await loadSettings({});
  assert.deepEqual(first.config.tools.ssrfWhitelist, ["100.64.0.0/10"]);
  assert.deepEqual(second.config.tools.ssrfWhitelist, []);
});

Deno.test("Answers that fill the whole context window are warned of", async () => {
  const { warnings } = await loadSettings({
    agents: { defaults: { maxTokens: 9_000, contextWindowTokens: 8_000 } },
  });
  assert.match(warnings.join(), /agents\.defaults\.maxTokens leaves no room/);
  const off = await loadSettings({ agents: { defaults: { contextWindowTokens: 0 } } });
  assert.deepEqual(off.warnings, []);
});

Deno.test("One conversation for people whose memories are kept apart is warned of", async () => {
  const shared = { unifiedSession: true, memoryScope: "person" };
  const { warnings } = await loadSettings({ agents: { defaults: shared } });
  assert.match(warnings.join(), /unifiedSession shows everybody one conversation/);
});
