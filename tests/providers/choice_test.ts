import assert from "node:assert/strict";
import { PROVIDER_KEYS, providersSchema } from "../../actors/config/schema/providers.ts";
import { wireModelOf } from "../../providers/backend.ts";
import { chooseProvider, type ProviderSection } from "../../providers/choice.ts";
import { hasKeyword, wireModelName } from "../../providers/model_names.ts";
import { traitsOf } from "../../providers/traits.ts";
import type { Vendor } from "../../providers/vendor.ts";
import { findVendor, toCamelCase, VENDORS } from "../../providers/vendors.ts";

interface Case {
  readonly model: string;
  readonly provider?: string;
  readonly providers?: Readonly<Record<string, ProviderSection>>;
}

function choose({ model, provider = "auto", providers = {} }: Case) {
  return chooseProvider({ model, provider, providers });
}

const KEY = { apiKey: "k" };

function vendorNamed(name: string): Vendor {
  const vendor = findVendor(name);
  assert.ok(vendor, name);
  return vendor;
}

Deno.test.each<[string, string, Case]>([
  ["ollama", "http://localhost:11434/v1", { model: "ollama/llama3.2" }],
  ["ollama", "http://localhost:11434/v1", { model: "llama3.2", provider: "ollama" }],
  ["volcengine_coding_plan", "https://ark.cn-beijing.volces.com/api/coding/v3", {
    model: "doubao-1-5-pro",
    provider: "volcengineCodingPlan",
    providers: { volcengineCodingPlan: KEY },
  }],
  ["lm_studio", "http://localhost:1234/v1", {
    model: "any",
    provider: "lm_studio",
    providers: { lmStudio: { apiKey: null } },
  }],
  ["xiaomi_mimo", "https://api.xiaomimimo.com/v1", {
    model: "MiniMax-M1-80k",
    provider: "xiaomi_mimo",
    providers: { xiaomiMimo: KEY },
  }],
  ["xiaomi_mimo", "https://api.xiaomimimo.com/v1", {
    model: "mimo/MiniMax-M1-80k",
    providers: { xiaomiMimo: KEY },
  }],
  ["ollama", "http://box:9000/v1", {
    model: "llama3.2",
    providers: { ollama: { apiBase: "http://box:9000/v1/" } },
  }],
  ["ollama", "http://localhost:11434/v1", {
    model: "llama3.2",
    providers: {
      vllm: { apiBase: "http://localhost:8000" },
      ollama: { apiBase: "http://localhost:11434/v1" },
    },
  }],
  ["vllm", "http://localhost:8000", {
    model: "llama3.2",
    providers: { vllm: { apiBase: "http://localhost:8000" } },
  }],
  ["custom", "http://127.0.0.1:1/v1", {
    model: "custom/m",
    providers: { custom: { apiBase: "http://127.0.0.1:1/v1" } },
  }],
  ["custom", "http://127.0.0.1:1/v1", {
    model: "gpt-4o",
    providers: { custom: { apiBase: "http://127.0.0.1:1/v1", apiKey: "k" } },
  }],
  ["openrouter", "https://openrouter.ai/api/v1", {
    model: "nvidia/nemotron-4",
    providers: { openrouter: KEY },
  }],
  ["openrouter", "https://openrouter.ai/api/v1", {
    model: "anthropic/claude-opus-4-5",
    providers: { openrouter: KEY },
  }],
  ["deepseek", "https://api.deepseek.com", {
    model: "deepseek-chat",
    providers: { deepseek: KEY, groq: KEY },
  }],
  ["dashscope", "https://dashscope.aliyuncs.com/compatible-mode/v1", {
    model: "spark-max",
    providers: { dashscope: KEY },
  }],
  ["ollama", "http://localhost:11434/v1", {
    model: "gpt-oss:20b",
    providers: { openai: KEY, ollama: { apiBase: "http://localhost:11434/v1" } },
  }],
  ["openai", "http://127.0.0.1:9/v1", {
    model: "openai/gpt-4o",
    providers: { openai: { apiKey: "k", apiBase: "http://127.0.0.1:9/v1" } },
  }],
  ["github_copilot", "https://api.githubcopilot.com", { model: "github-copilot/gpt-5.3-codex" }],
  ["openai_codex", "https://chatgpt.com/backend-api", {
    model: "openai-codex/gpt-5.1-codex",
    providers: { openai: KEY },
  }],
  ["anthropic", "https://api.anthropic.com", {
    model: "claude-opus",
    providers: { anthropic: KEY },
  }],
  ["azure_openai", "https://me.openai.azure.com", {
    model: "azure/my-deployment",
    providers: { azureOpenai: { apiKey: "k", apiBase: "https://me.openai.azure.com/" } },
  }],
  ["openrouter", "https://openrouter.ai/api/v1", {
    model: "m",
    provider: "custom",
    providers: { custom: { apiKey: "sk-or-1" } },
  }],
  ["openrouter", "https://openrouter.ai/other", {
    model: "m",
    provider: "custom",
    providers: { custom: { apiKey: "k", apiBase: "https://openrouter.ai/other" } },
  }],
  ["my_box", "http://box/v1", {
    model: "my-box/llama",
    providers: { myBox: { apiBase: "http://box/v1" }, groq: KEY },
  }],
  ["my_box", "http://box/v1", {
    model: "llama",
    provider: "my-box",
    providers: { myBox: { apiBase: "http://box/v1" } },
  }],
  ["lm_studio", "http://localhost:1234/v1", {
    model: "any",
    provider: "auto",
    providers: { lm_studio: { apiBase: "http://localhost:1234/v1" } },
  }],
])("chooseProvider takes %s at %s for %j", (name, baseUrl, options) => {
  const choice = choose(options);
  assert.equal(choice.state, "chosen", JSON.stringify(choice));
  assert.equal(choice.vendor.name, name);
  assert.equal(choice.baseUrl, baseUrl);
});

Deno.test.each<[string, Case]>([
  ["agents.defaults.provider", { model: "m", provider: "nonesuch", providers: { groq: KEY } }],
  ["providers.openai.apiKey", { model: "m", provider: "openai", providers: { groq: KEY } }],
  ["providers.deepseek.apiKey", { model: "deepseek/deepseek-chat", providers: { groq: KEY } }],
  ["providers.custom.apiBase", { model: "m", provider: "custom", providers: { custom: KEY } }],
  ["providers.custom.apiBase", {
    model: "m",
    provider: "custom",
    providers: { custom: { apiBase: "localhost:8000" } },
  }],
  ["providers.vllm.apiBase", { model: "vllm/m", providers: { groq: KEY } }],
  ["providers.minimaxAnthropic.apiKey", {
    model: "m",
    provider: "minimaxAnthropic",
    providers: { anthropic: KEY },
  }],
  ["providers.azureOpenai.apiBase", {
    model: "m",
    provider: "azure-openai",
    providers: { azureOpenai: KEY },
  }],
  ["providers.azureOpenai.apiKey", {
    model: "m",
    provider: "azure-openai",
    providers: { groq: KEY },
  }],
])("chooseProvider names %s when that is what keeps %j from working", (key, options) => {
  const choice = choose(options);
  assert.equal(choice.state, "problem", JSON.stringify(choice));
  assert.equal(choice.key, key);
  assert.match(choice.problem, new RegExp(`^Cannot use "${key}": `));
});

Deno.test.each<[Case]>([
  [{ model: "anthropic/claude-opus-4-5" }],
  [{ model: "gpt-4o", provider: "openai" }],
  [{ model: "m", provider: "vllm" }],
  [{ model: "m", providers: { openai: { apiKey: "  ", apiBase: "" } } }],
])("chooseProvider finds nothing set up for %j", (options) => {
  assert.deepEqual(choose(options), { state: "unconfigured" });
});

Deno.test.each<[NonNullable<Case["providers"]>]>([
  [{}],
  [{ custom: { extraHeaders: { "X-Team": "blue" } } }],
])("chooseProvider names the address that a server of one's own lacks, with %j", (providers) => {
  const choice = choose({ model: "m", provider: "custom", providers });
  assert.ok(choice.state === "unconfigured", JSON.stringify(choice));
  assert.match(choice.missing ?? "", /^Cannot use "providers\.custom\.apiBase": no address is set/);
});

Deno.test("chooseProvider never falls back on a provider with a login", () => {
  const choice = choose({ model: "m", providers: { groq: KEY } });
  assert.equal(choice.state === "chosen" && choice.vendor.name, "groq");
});

Deno.test("chooseProvider prefers a router to a maker when no name fits", () => {
  const choice = choose({ model: "some-model", providers: { groq: KEY, siliconflow: KEY } });
  assert.equal(choice.state === "chosen" && choice.vendor.name, "siliconflow");
});

Deno.test.each([
  ["mistral", "https://api.mistral.ai/v1", "openai_compatible"],
  ["minimax_anthropic", "https://api.minimax.io/anthropic", "anthropic"],
  ["openrouter", "https://openrouter.ai/api/v1", "openai_compatible"],
])("VENDORS has %s at %s", (name, baseUrl, backend) => {
  assert.equal(findVendor(name)?.defaultBaseUrl, baseUrl);
  assert.equal(findVendor(name)?.backend, backend);
});

Deno.test("VENDORS has entries with names of their own", () => {
  assert.equal(new Set(VENDORS.map(({ name }) => name)).size, VENDORS.length);
  assert.ok(VENDORS.length >= 29);
});

Deno.test("VENDORS and the configuration know the same names", () => {
  assert.deepEqual(
    VENDORS.map(({ name }) => toCamelCase(name)).toSorted(),
    PROVIDER_KEYS.toSorted(),
  );
});

Deno.test("chooseProvider takes the settings of a section as the configuration has them", () => {
  const section = {
    apiBase: "http://box/v1",
    extraBody: { top_k: 1 },
    extraQuery: { v: "1" },
    displayName: "My box",
    thinkingStyle: "enable_thinking",
  };
  const providers = providersSchema.parse({ myBox: section });
  const choice = choose({ model: "m", provider: "myBox", providers });
  assert.equal(choice.state, "chosen");
  assert.partialDeepStrictEqual(choice, {
    extraBody: { top_k: 1 },
    extraQuery: { v: "1" },
    apiType: "auto",
    thinkingSwitch: "enable_thinking",
    vendor: { displayName: "My box" },
  });
  assert.equal(wireModelOf(choice, "my-box/m").traits.thinkingSwitch, "enable_thinking");
});

Deno.test.each([
  ["volcengineCodingPlan", "volcengine_coding_plan"],
  ["github-copilot", "github_copilot"],
  ["LMStudio", undefined],
])("findVendor reads %s", (name, expected) => {
  assert.equal(findVendor(name)?.name, expected);
});

Deno.test.each([
  ["qwen3-plus", "qwen", true],
  ["spark-max", "ark", false],
  ["firstep-1", "step", false],
  ["step-2", "step", true],
  ["github-copilot/x", "github_copilot", true],
  ["copilot-github/x", "github_copilot", false],
  ["Qwen/Qwen3-8B", "qwen", true],
  ["chat/glm-4.6", "glm", true],
])("hasKeyword judges %s and %s", (model, keyword, expected) => {
  assert.equal(hasKeyword(model, keyword), expected);
});

Deno.test.each([
  ["openrouter", "anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"],
  ["openrouter", "openrouter/anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"],
  ["openrouter", "openrouter/auto", "openrouter/auto"],
  ["aihubmix", "anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"],
  ["deepseek", "deepseek-chat", "deepseek-chat"],
  ["deepseek", "deepseek/deepseek-chat", "deepseek-chat"],
  ["github_copilot", "github-copilot/gpt-5.1", "gpt-5.1"],
  ["ollama", "ollama/llama3.2", "llama3.2"],
  ["dashscope", "qwen/qwen3-plus", "qwen3-plus"],
  ["groq", "openai/gpt-oss-120b", "openai/gpt-oss-120b"],
  ["siliconflow", "Qwen/Qwen3-8B", "Qwen/Qwen3-8B"],
  ["volcengine", "volcengine/doubao-1-5-pro", "doubao-1-5-pro"],
  ["custom", "custom/my/model", "my/model"],
])("wireModelName tells %s about %s as %s", (name, model, expected) => {
  const vendor = findVendor(name);
  assert.ok(vendor);
  assert.equal(wireModelName(vendor, model), expected);
});

Deno.test.each([
  ["o3-mini", true],
  ["o1", true],
  ["openai/o4-mini", true],
  ["gpt-5-chat", true],
  ["openai/gpt-5.1", true],
  ["gpt-4o", false],
  ["doubao1.5-o1x", false],
  ["o100", false],
])("traitsOf tells whether %s thinks on its own terms", (model, expected) => {
  assert.equal(traitsOf(vendorNamed("custom"), model).wantsResponses, expected);
});
