import assert from "node:assert/strict";
import { load, loadSettings, refusalOf } from "./_load.ts";

Deno.test.each([
  [{ TROUPE_GATEWAY__PORT: "9999" }, 9999],
  [{ NANOBOT_GATEWAY__PORT: "9999" }, 9999],
  [{ nanobot_gateway__port: "9999" }, 9999],
  [{ NANOBOT_GATEWAY__PORT: "1", TROUPE_GATEWAY__PORT: "2" }, 2],
  [{ TROUPE_GATEWAY: '{"port": 3}' }, 3],
  [{ TROUPE_GATEWAY: '{"port": 3}', TROUPE_GATEWAY__PORT: "4" }, 4],
  [{ TROUPE_GATEWAY: '{"port": 3}', NANOBOT_GATEWAY__PORT: "4" }, 3],
  [
    { TROUPE_GATEWAY__PORT__: "4", TROUPE___PORT: "5", PORT: "6", TROUPEGATEWAY__PORT: "7" },
    18_790,
  ],
])("The environment %j sets the port %s", async (env, port) => {
  assert.equal((await load({ env })).config.gateway.port, port);
});

Deno.test("The environment stands above the file, null included", async () => {
  const { config } = await loadSettings(
    { gateway: { port: 1, host: "0.0.0.0" }, agents: { defaults: { context_block_limit: null } } },
    { env: { TROUPE_GATEWAY__PORT: "2", TROUPE_AGENTS__DEFAULTS__CONTEXT_BLOCK_LIMIT: "5" } },
  );
  assert.equal(config.gateway.port, 2);
  assert.equal(config.gateway.host, "0.0.0.0");
  assert.equal(config.agents.defaults.contextBlockLimit, 5);
});

Deno.test("A key without separators is read, and wins over the one with them", async () => {
  const snake = { NANOBOT_AGENTS__DEFAULTS__MAX_TOKENS: "77" };
  const flat = { NANOBOT_AGENTS__DEFAULTS__MAXTOKENS: "88" };
  assert.equal((await load({ env: snake })).config.agents.defaults.maxTokens, 77);
  assert.equal((await load({ env: flat })).config.agents.defaults.maxTokens, 88);
  const both = await load({ env: { ...flat, ...snake } });
  assert.equal(both.config.agents.defaults.maxTokens, 88);
});

Deno.test("Sections and keys reach providers, channels and MCP servers", async () => {
  const { config, warnings } = await loadSettings(
    { tools: { mcpServers: { "My-Files": { command: "x" } } } },
    {
      env: {
        NANOBOT_PROVIDERS__OPENROUTER__API_KEY: "sk-1",
        TROUPE_PROVIDERS__LM_STUDIO__API_BASE: "http://127.0.0.1:1/v1",
        TROUPE_PROVIDERS__LLAMA: '{"api_base": "http://127.0.0.1:2/v1"}',
        TROUPE_CHANNELS__PIGEON__ENABLED: "true",
        TROUPE_CHANNELS__PIGEON__WING_TOKEN: "ring",
        TROUPE_CHANNELS__PIGEON__ALLOW_FROM: '["*"]',
        TROUPE_CHANNELS__PIGEON__HOMING__MAX_HOPS: "6",
        TROUPE_TOOLS__MCP_SERVERS__MY_FILES__ENV__API_TOKEN: "t",
        TROUPE_OWNERS: '["pigeon:1"]',
      },
    },
  );
  assert.deepEqual(warnings, []);
  assert.equal(config.providers["openrouter"]?.apiKey, "sk-1");
  assert.equal(config.providers["lmStudio"]?.apiBase, "http://127.0.0.1:1/v1");
  assert.equal(config.providers["llama"]?.apiBase, "http://127.0.0.1:2/v1");
  assert.partialDeepStrictEqual(config.channels.enabled["pigeon"], {
    wingToken: "ring",
    allowFrom: ["*"],
    homing: { maxHops: 6 },
  });
  assert.equal(config.tools.mcpServers["My-Files"]?.command, "x");
  assert.deepEqual(config.tools.mcpServers["My-Files"]?.env, { API_TOKEN: "t" });
  assert.deepEqual(config.owners, ["pigeon:1"]);
});

Deno.test("Old names are read from the environment too", async () => {
  const { config } = await load({
    env: { NANOBOT_TOOLS__MY_ENABLED: "no", TROUPE_TOOLS__EXEC__RESTRICT_TO_WORKSPACE: "0" },
  });
  assert.equal(config.tools.my.enable, false);
  assert.equal(config.tools.restrictToWorkspace, false);
});

Deno.test("Unrelated names are ignored in silence", async () => {
  const { warnings, config } = await load({
    env: {
      NANOBOT_RESTART_NOTIFY_CHANNEL: "feishu",
      TROUPE_HOME: "",
      TROUPE_FOO__BAR: "1",
      NANOBOT_: "1",
      HOME: "/root",
    },
  });
  assert.deepEqual(warnings, []);
  assert.deepEqual(config, (await load({})).config);
});

Deno.test("An unknown key of a section is a warning that names the variable", async () => {
  const { warnings } = await load({ env: { TROUPE_AGENTS__DEFAULTS__MODLE: "x" } });
  assert.deepEqual(warnings, [
    "Unknown key agents.defaults.modle is ignored: did you mean agents.defaults.model? " +
    "(from TROUPE_AGENTS__DEFAULTS__MODLE)",
  ]);
});

Deno.test("A wrong value is refused under its key and its variable, and not shown", async () => {
  const env = { TROUPE_GATEWAY__PORT: "hush", NANOBOT_GATEWAY__PORT: "1" };
  const error = await refusalOf(loadSettings({ gateway: { host: "a" } }, { env }));
  assert.match(error.message, /gateway\.port \(from TROUPE_GATEWAY__PORT\) is text/);
  assert.ok(!error.message.includes("hush"));
});

Deno.test("A fault of the file is not blamed on a variable for its section", async () => {
  const error = await refusalOf(loadSettings(
    { gateway: { port: "x" } },
    { env: { TROUPE_GATEWAY: '{"host": "127.0.0.1"}' } },
  ));
  assert.ok(!error.message.includes("TROUPE_GATEWAY"), error.message);
});

Deno.test.each([
  ["TROUPE_AGENTS", "gpt", "a JSON object"],
  ["TROUPE_AGENTS", "[]", "a JSON object"],
  ["TROUPE_AGENTS__DEFAULTS", "{", "a JSON object"],
  ["TROUPE_OWNERS", "feishu:1", "a JSON list"],
  ["TROUPE_OWNERS", "{}", "a JSON list"],
])("%s=%s is refused, as it does not hold %s", async (name, value, what) => {
  const error = await refusalOf(load({ env: { [name]: value } }));
  assert.equal(error.code, "config_environment_invalid");
  assert.equal(error.faults[0].key, name);
  assert.ok(error.message.includes(`${name}: it does not hold ${what}`), error.message);
});

Deno.test("Overrides are told, for people to see", async () => {
  const { overrides } = await load({
    env: { TROUPE_GATEWAY: '{"port": 1, "heartbeat": {"enabled": false}}' },
  });
  assert.deepEqual(overrides, [
    { key: "gateway.port", variable: "TROUPE_GATEWAY" },
    { key: "gateway.heartbeat.enabled", variable: "TROUPE_GATEWAY" },
  ]);
});
