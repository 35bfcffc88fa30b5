import assert from "node:assert/strict";
import { nearestName, toSnake } from "../../../actors/config/spelling.ts";
import { loadSettings } from "./_load.ts";

Deno.test("Snake-case keys are read at every depth", async () => {
  const { config, warnings } = await loadSettings({
    agents: { defaults: { max_tokens: 77, unified_session: true, dream: { max_batch_size: 4 } } },
    gateway: { heartbeat: { interval_s: 60 } },
    tools: {
      restrict_to_workspace: false,
      ssrf_whitelist: ["10.0.0.0/8"],
      exec: { path_append: "/opt/bin", allowed_env_keys: ["LANG"] },
      mcp_servers: { my_files: { tool_timeout: 9, enabled_tools: [] } },
    },
    providers: { lm_studio: { api_base: "http://127.0.0.1:1/v1" } },
    channels: {
      send_tool_hints: true,
      pigeon: { enabled: true, wing_token: "t", allow_from: ["*"], homing: { max_hops: 9 } },
    },
  });
  assert.deepEqual(warnings, []);
  assert.equal(config.agents.defaults.maxTokens, 77);
  assert.equal(config.agents.defaults.unifiedSession, true);
  assert.equal(config.agents.defaults.dream.maxBatchSize, 4);
  assert.equal(config.gateway.heartbeat.intervalS, 60);
  assert.equal(config.tools.restrictToWorkspace, false);
  assert.equal(config.tools.exec.pathAppend, "/opt/bin");
  assert.deepEqual(config.tools.mcpServers["my_files"]?.enabledTools, []);
  assert.equal(config.tools.mcpServers["my_files"]?.toolTimeout, 9);
  assert.equal(config.providers["lmStudio"]?.apiBase, "http://127.0.0.1:1/v1");
  assert.equal(config.channels.sendToolHints, true);
  assert.deepEqual(config.channels.enabled["pigeon"], {
    enabled: true,
    allowFrom: ["*"],
    wingToken: "t",
    port: 4_000,
    groupPolicy: "mention",
    lofts: {},
    homing: { maxHops: 9 },
  });
});

Deno.test("camelCase wins over snake_case in one object, with a warning", async () => {
  const { config, warnings } = await loadSettings({
    agents: { defaults: { max_tokens: 1, maxTokens: 2 } },
  });
  assert.equal(config.agents.defaults.maxTokens, 2);
  assert.deepEqual(warnings, [
    "agents.defaults.max_tokens is ignored, as maxTokens is there as well: remove one of them",
  ]);
});

Deno.test("Free keys stay as they are written", async () => {
  const { config, warnings } = await loadSettings({
    providers: { custom: { extraHeaders: { "X-My_Header": "1", api_key: "2" } } },
    tools: {
      mcpServers: { "snake_name": { env: { MY_VAR: "a", my_var: "b" }, headers: { a_b: "c" } } },
    },
    channels: {
      pigeon: { enabled: true, wingToken: "t", lofts: { big_loft: { require_mention: true } } },
    },
  });
  assert.deepEqual(warnings, []);
  assert.deepEqual(config.providers["custom"]?.extraHeaders, { "X-My_Header": "1", api_key: "2" });
  const server = config.tools.mcpServers["snake_name"];
  assert.deepEqual(server?.env, { MY_VAR: "a", my_var: "b" });
  assert.deepEqual(server?.headers, { a_b: "c" });
  assert.partialDeepStrictEqual(config.channels.enabled["pigeon"], {
    lofts: { big_loft: { requireMention: true } },
  });
});

Deno.test.each([
  [{ idleCompactAfterMinutes: 1, sessionTtlMinutes: 2 }, 1],
  [{ idle_compact_after_minutes: 1, sessionTtlMinutes: 2 }, 1],
  [{ sessionTtlMinutes: 2, session_ttl_minutes: 3 }, 2],
  [{ session_ttl_minutes: 3 }, 3],
  [{ sessionTtlMinutes: 30 }, 30],
])("Idle compaction in %j comes after the minutes of the best name", async (defaults, minutes) => {
  const { config } = await loadSettings({ agents: { defaults } });
  assert.equal(config.agents.defaults.idleCompactAfterMinutes, minutes);
});

Deno.test.each([
  [{ model: "a" }, "a"],
  [{ model_override: "b" }, "b"],
  [{ modelOverride: "c", model: "a" }, "c"],
  [{}, null],
])("Dream with %j runs with the model of the best name", async (dream, model) => {
  const { config } = await loadSettings({ agents: { defaults: { dream } } });
  assert.equal(config.agents.defaults.dream.modelOverride, model);
});

Deno.test.each([
  ["volcengine_coding_plan", "volcengine_coding_plan"],
  ["volcengineCodingPlan", "volcengine_coding_plan"],
  ["github-copilot", "github_copilot"],
  ["OpenAI", "openai"],
  ["auto", "auto"],
  ["my-llm", "my-llm"],
])("Provider %s is looked up as %s", async (provider, name) => {
  const { config, warnings } = await loadSettings({
    agents: { defaults: { provider } },
    providers: { "my-llm": { apiBase: "http://127.0.0.1:1/v1" } },
  });
  assert.equal(config.agents.defaults.provider, name);
  assert.deepEqual(warnings, []);
});

Deno.test("Provider sections under all spellings of a known name are the same one", async () => {
  for (const key of ["githubCopilot", "github_copilot", "github-copilot"]) {
    const { config } = await loadSettings({ providers: { [key]: { apiKey: "k" } } });
    assert.deepEqual(Object.keys(config.providers), ["githubCopilot"]);
  }
});

Deno.test.each([
  ["maxTokens", "max_tokens"],
  ["intervalH", "interval_h"],
  ["e2eeEnabled", "e2ee_enabled"],
  ["api", "api"],
])("The snake_case form of %s is %s", (camel, snake) => {
  assert.equal(toSnake(camel), snake);
});

Deno.test.each([
  ["modle", "model"],
  ["max_token", "maxTokens"],
  ["MAXTOKENS", "maxTokens"],
  ["prot", "port"],
  ["completely", null],
  ["x", null],
  ["m".repeat(10_000), null],
])("The name nearest to %s is %s", (written, nearest) => {
  assert.equal(nearestName(written, ["model", "maxTokens", "port"]), nearest);
});

Deno.test("Names of models in agents.prices stay as they are written", async () => {
  const prices = { "my_model/v1.5": { input: 1, cached_input: 0.5 }, "GPT-9": { output: 2 } };
  const { config } = await loadSettings({ agents: { prices } });
  assert.deepEqual(config.agents.prices, {
    "my_model/v1.5": { input: 1, output: 0, cachedInput: 0.5, cacheWrite: null },
    "GPT-9": { input: 0, output: 2, cachedInput: null, cacheWrite: null },
  });
});
