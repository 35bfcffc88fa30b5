import assert from "node:assert/strict";
import type { Config } from "../../../actors/config/schema.ts";
import { providerConfig } from "../../../actors/config/schema/providers.ts";
import { CONFIG_FILE, loadSettings, refusalOf, settingsWith } from "./_load.ts";

async function valueAt(path: string, written: unknown): Promise<unknown> {
  const { config } = await loadSettings(settingsWith(path, written));
  return path.split(".").reduce<unknown>(
    (value, key) => value instanceof Object ? Reflect.get(value, key) : undefined,
    config,
  );
}

Deno.test.each([
  ["gateway.port", "123", 123],
  ["gateway.port", " 123 ", 123],
  ["gateway.port", 8080.0, 8080],
  ["gateway.port", 0, 0],
  ["gateway.port", 65_535, 65_535],
  ["agents.defaults.temperature", "0.5", 0.5],
  ["agents.defaults.temperature", 2, 2],
  ["agents.defaults.contextBlockLimit", "10", 10],
  ["agents.defaults.contextBlockLimit", null, null],
  ["agents.defaults.contextWindowTokens", 0, 0],
  ["agents.defaults.maxConcurrentRequests", -1, -1],
  ["agents.defaults.timezone", "Asia/Shanghai", "Asia/Shanghai"],
  ["agents.defaults.unifiedSession", 1, true],
  ["agents.defaults.unifiedSession", "YES", true],
  ["agents.defaults.unifiedSession", "on", true],
  ["agents.defaults.unifiedSession", "t", true],
  ["channels.sendProgress", 0, false],
  ["channels.sendProgress", "n", false],
  ["channels.sendProgress", "Off", false],
  ["channels.sendMaxRetries", 0, 0],
  ["channels.sendMaxRetries", 10, 10],
  ["api.timeout", "1.5", 1.5],
  ["tools.exec.sandbox", "", "auto"],
  ["tools.exec.sandbox", "auto", "auto"],
  ["tools.exec.sandbox", "none", "process"],
  ["tools.exec.sandbox", "process", "process"],
  ["tools.exec.sandbox", "bwrap", "bwrap"],
  ["tools.exec.sandbox", "virtual", "virtual"],
  ["tools.exec.network", "host", "host"],
  ["tools.web.proxy", "", null],
  ["tools.web.proxy", "socks5://127.0.0.1:1080", "socks5://127.0.0.1:1080"],
  ["tools.web.search.provider", "", "brave"],
  ["providers.openai.apiKey", "", null],
  ["providers.openai.apiBase", "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"],
])("%s written as %j is %j", async (path, written, value) => {
  assert.deepEqual(await valueAt(path, written), value);
});

Deno.test.each([
  ["tools.ssrfWhitelist", ["100.64.0.0/10", "fd00::/8", "10.1.2.3"]],
  ["tools.exec.denyPatterns", ["^rm\\b", "a\\(?=b", "(?:x|y)+$", "(?<name>z)"]],
  ["tools.allowedHosts", ["example.org", "*.bücher.example"]],
  ["owners", ["feishu:ou_1", "telegram:42"]],
  ["agents.defaults.disabledSkills", ["weather"]],
])("%s takes %j", async (path, list) => {
  assert.deepEqual(await valueAt(path, list), list);
});

Deno.test.each([
  ["gateway.port", -1, "is less than 0"],
  ["gateway.port", 65_536, "is more than 65535"],
  ["api.port", "http", "is text instead of a number"],
  ["api.port", "", "is text instead of a number"],
  ["api.port", "0x10", "is text instead of a number"],
  ["api.port", true, "is true or false instead of a number"],
  ["api.port", 12.5, "is a number instead of a whole number"],
  ["api.timeout", 0, "is less than 0 or equal to it"],
  ["agents.defaults.maxTokens", 0, "is less than 1"],
  ["agents.defaults.maxTokens", null, "is null instead of a number"],
  ["agents.defaults.contextWindowTokens", -5, "is less than 0"],
  ["agents.defaults.maxToolIterations", 0, "is less than 1"],
  ["agents.defaults.temperature", 99, "is more than 2"],
  ["agents.defaults.model", "", "is empty"],
  ["agents.defaults.model", 3, "is a number instead of text"],
  ["agents.defaults.unifiedSession", 2, "is a number instead of true or false"],
  ["agents.defaults.unifiedSession", "maybe", "is text instead of true or false"],
  ["agents.defaults.timezone", "Mars/Olympus", "is not a time zone"],
  ["agents.defaults.providerRetryMode", "never", "is none of standard, persistent"],
  ["agents.defaults.fallbackModels", "gpt-5", "is text instead of a list"],
  ["agents.defaults.dream.intervalH", 0, "is less than 1"],
  ["agents.defaults.disabledSkills", "weather", "is text instead of a list"],
  ["agents", [], "is a list instead of an object"],
  ["channels.sendMaxRetries", -1, "is less than 0"],
  ["channels.sendMaxRetries", 11, "is more than 10"],
  ["channels.sendMaxRetries", 100, "is more than 10"],
  ["gateway.heartbeat.intervalS", 0, "is less than 1"],
  ["tools.exec.timeout", 0, "is less than 1"],
  ["tools.exec.sandbox", "docker", "is none of auto, bwrap, virtual, process, none"],
  ["tools.exec.network", "some", "is none of filtered, none, host"],
  ["tools.web.search.provider", "bing", "is none of brave"],
  ["tools.web.proxy", "ftp://x", "is not an address that starts with http://"],
  ["tools.mcpServers", { files: { type: "pipe" } }, "is none of stdio, sse, streamableHttp"],
  ["tools.ssrfWhitelist", ["10.0.0.0/33"], "is not an address range"],
  ["tools.exec.denyPatterns", ["rm(?!x)"], "looks ahead, behind or back"],
  ["tools.exec.denyPatterns", ["(?<=a)b"], "looks ahead, behind or back"],
  ["tools.exec.allowPatterns", ["(a)\\1"], "looks ahead, behind or back"],
  ["tools.ssrfWhitelist", ["10.0.0.0/8/9"], "is not an address range"],
  ["tools.ssrfWhitelist", ["example.com"], "is not an address range"],
  ["tools.ssrfWhitelist", ["fe80::1%eth0"], "is not an address range"],
  ["tools.allowedHosts", ["https://example.org"], "is no host"],
  ["tools.allowedHosts", ["*"], "is no host"],
  ["tools.web.userAgent", "a\nb", "is no single line"],
  ["providers.openai.apiBase", "api.openai.com", "is not an address that starts with http://"],
  ["owners", ["ou_1"], 'is not of the form "channel:sender"'],
])("%s written as %j is refused, as it %s", async (path, written, why) => {
  const error = await refusalOf(loadSettings(settingsWith(path, written)));
  assert.equal(error.code, "config_value_invalid");
  assert.equal(error.exitCode, 2);
  assert.equal(error.faults.length, 1, error.message);
  assert.ok(error.message.startsWith(`Cannot load "${CONFIG_FILE}": ${path}`), error.message);
  assert.ok(error.message.includes(why), error.message);
});

Deno.test("A fault names its place in a list and in a map", async () => {
  const error = await refusalOf(loadSettings({
    tools: { mcp_servers: { "my files": { args: ["a", 1] } } },
  }));
  assert.equal(error.faults[0].key, 'tools.mcpServers["my files"].args[1]');
});

Deno.test("Fallback models are names or objects, in any spelling", async () => {
  const written = [
    "gpt-5",
    { model: "qwen3-32b", provider: "vllm", max_tokens: "512", context_window_tokens: 32_768 },
  ];
  const plain = {
    ...{ provider: "auto", temperature: null, reasoningEffort: null },
    ...{ maxTokens: null, contextWindowTokens: null },
  };
  assert.deepEqual(await valueAt("agents.defaults.fallbackModels", written), [
    { ...plain, model: "gpt-5" },
    { ...plain, model: "qwen3-32b", provider: "vllm", maxTokens: 512, contextWindowTokens: 32_768 },
  ]);
});

Deno.test("A fallback model without a name is refused by its place", async () => {
  const error = await refusalOf(
    loadSettings(settingsWith("agents.defaults.fallbackModels", [{ provider: "vllm" }])),
  );
  assert.equal(error.faults[0].key, "agents.defaults.fallbackModels[0].model");
});

Deno.test("A fault is named in camelCase however it was written", async () => {
  const error = await refusalOf(loadSettings({ agents: { defaults: { max_tokens: [] } } }));
  assert.equal(error.faults[0].key, "agents.defaults.maxTokens");
});

Deno.test.each(["openia", "antropic", "nothing-like-it"])(
  "Provider %s is refused",
  async (provider) => {
    const error = await refusalOf(loadSettings({ agents: { defaults: { provider } } }));
    assert.equal(error.code, "config_provider_unknown");
    assert.equal(error.faults[0].key, "agents.defaults.provider");
  },
);

Deno.test("A mistyped provider is refused with the nearest name", async () => {
  const error = await refusalOf(loadSettings({ agents: { defaults: { provider: "openia" } } }));
  assert.match(error.message, /did you mean "openai"\?$/);
});

Deno.test("A provider of one's own needs an address to be named", async () => {
  const withBase = { agents: { defaults: { provider: "llama" } }, providers: { llama: {} } };
  const error = await refusalOf(loadSettings(withBase));
  assert.equal(error.code, "config_provider_unknown");
});

Deno.test("Providers are found under any spelling, and empty when there is no section", async () => {
  const { config }: { config: Config } = await loadSettings({
    providers: { azure_openai: { apiKey: "k", api_base: "https://x.example" } },
  });
  for (const name of ["azureOpenai", "azure_openai", "azure-openai"]) {
    assert.equal(providerConfig(config.providers, name).apiKey, "k");
  }
  assert.deepEqual(providerConfig(config.providers, "groq"), {
    apiKey: null,
    apiBase: null,
    extraHeaders: null,
    extraQuery: null,
    extraBody: null,
    displayName: null,
    apiType: "auto",
    thinkingStyle: null,
  });
});

Deno.test.each([
  ["siliconflow", {}],
  ["azure-openai", {}],
  ["my-whisper", { myWhisper: { apiBase: "http://127.0.0.1:8000/v1" } }],
])("The transcription provider %s is taken without a warning", async (name, providers) => {
  const channels = { transcriptionProvider: name };
  assert.deepEqual((await loadSettings({ channels, providers })).warnings, []);
});

Deno.test("An unknown transcription provider means groq, with a warning", async () => {
  const { warnings } = await loadSettings({ channels: { transcriptionProvider: "whisper" } });
  assert.match(warnings.join(), /neither groq nor openai/);
});
