import assert from "node:assert/strict";
import { manifest as feishu } from "../../../channels/feishu/manifest.ts";
import { CONFIG_FILE, load } from "./_load.ts";

/** A file as nanobot writes it, with every key that it knows. */
const WRITTEN_BY_NANOBOT = {
  agents: {
    defaults: {
      workspace: "~/.nanobot/workspace",
      model: "anthropic/claude-opus-4-5",
      provider: "auto",
      maxTokens: 8192,
      contextWindowTokens: 65536,
      contextBlockLimit: null,
      temperature: 0.1,
      maxToolIterations: 200,
      maxToolResultChars: 16000,
      providerRetryMode: "standard",
      reasoningEffort: null,
      timezone: "UTC",
      unifiedSession: false,
      disabledSkills: [],
      idleCompactAfterMinutes: 0,
      dream: {
        intervalH: 2,
        modelOverride: null,
        maxBatchSize: 20,
        maxIterations: 15,
        annotateLineAges: true,
      },
    },
  },
  channels: {
    sendProgress: true,
    sendToolHints: false,
    sendMaxRetries: 3,
    transcriptionProvider: "groq",
    transcriptionModel: null,
    telegram: { enabled: false, token: "", allowFrom: [], groupPolicy: "mention" },
    feishu: { enabled: false, appId: "", appSecret: "", allowFrom: [], domain: "feishu" },
    mochat: { enabled: false, groups: { some_id: { requireMention: false } } },
  },
  providers: {
    custom: { apiKey: null, apiBase: null, extraHeaders: null },
    azureOpenai: { apiKey: null, apiBase: null, extraHeaders: null },
    volcengineCodingPlan: { apiKey: null, apiBase: null, extraHeaders: null },
    ollama: { apiKey: null, apiBase: "http://localhost:11434", extraHeaders: null },
  },
  api: { host: "127.0.0.1", port: 8900, timeout: 120.0 },
  gateway: {
    host: "127.0.0.1",
    port: 18790,
    heartbeat: { enabled: true, intervalS: 1800, keepRecentMessages: 8 },
  },
  tools: {
    web: {
      enable: true,
      proxy: null,
      search: { provider: "duckduckgo", apiKey: "", baseUrl: "", maxResults: 5, timeout: 30 },
    },
    exec: { enable: true, timeout: 60, pathAppend: "", sandbox: "", allowedEnvKeys: [] },
    restrictToWorkspace: false,
    mcpServers: {},
    ssrfWhitelist: [],
    my: { enable: true, allowSet: false },
  },
};

Deno.test("A file that nanobot wrote is read without a warning", async () => {
  const { config, locations, warnings } = await load({
    files: { [CONFIG_FILE]: JSON.stringify(WRITTEN_BY_NANOBOT, null, 2) },
    manifests: [feishu],
  });
  assert.deepEqual(warnings, []);
  assert.equal(locations.workspace, "/home/ada/.nanobot/workspace");
  assert.equal(config.tools.restrictToWorkspace, false);
  assert.equal(config.tools.exec.sandbox, "auto");
  assert.equal(config.providers["ollama"]?.apiBase, "http://localhost:11434");
  assert.deepEqual(Object.keys(config.channels.others), ["telegram", "feishu", "mochat"]);
  assert.deepEqual(config.channels.others["mochat"], WRITTEN_BY_NANOBOT.channels.mochat);
});

Deno.test("A Feishu section in snake_case is read whole", async () => {
  const section = {
    enabled: true,
    app_id: "cli_0123456789abcdef",
    app_secret: "s",
    allow_from: ["ou_1"],
    group_policy: "open",
    react_emoji: "OK",
    done_emoji: "DONE",
    domain: "lark",
  };
  const { config, warnings } = await load({
    files: {
      [CONFIG_FILE]: JSON.stringify({
        agents: { defaults: { unified_session: true } },
        channels: { feishu: section },
      }),
    },
    manifests: [feishu],
  });
  assert.deepEqual(warnings, []);
  assert.equal(config.agents.defaults.unifiedSession, true);
  assert.partialDeepStrictEqual(config.channels.enabled["feishu"], {
    appId: "cli_0123456789abcdef",
    appSecret: "s",
    allowFrom: ["ou_1"],
    groupPolicy: "open",
    reactEmoji: "OK",
    doneEmoji: "DONE",
    domain: "lark",
  });
});
