/**
 * Who answers chat requests, as data: how to recognise a vendor by a model's name, where it
 * listens, and in what it differs from OpenAI's chat completions.
 * @module
 */

import type { JsonObject } from "../actors/kernel/json.ts";

/** The code that talks to a vendor; all but the first are not here yet. */
export type Backend =
  | "openai_compatible"
  | "anthropic"
  | "azure_openai"
  | "openai_codex"
  | "github_copilot";

/** How a vendor is asked to think, besides `reasoning_effort`. */
export type ThinkingStyle = "enable_thinking" | "reasoning_split" | "thinking_type";

/** One vendor. What is absent is false, empty or the way OpenAI does it. */
export interface Vendor {
  /** snake_case; the key under `providers` in the config is the same in camelCase. */
  readonly name: string;
  readonly displayName: string;
  /** Looked for in model names, by whole segments. */
  readonly keywords: readonly string[];
  /** Names that a keyword fits but that belong to others. */
  readonly notKeywords?: readonly string[];
  readonly backend: Backend;
  /** gateway: routes any model; local: on the user's machine, no key; direct: the user says all;
   * oauth: the credential comes from a login. */
  readonly kinds: readonly ("gateway" | "local" | "direct" | "oauth")[];
  /** Used when the config gives none; without one the config must. */
  readonly defaultBaseUrl?: string;
  /** Part of a base URL that tells several local servers apart. */
  readonly baseUrlHint?: string;
  /** Sends only what follows the last `/` of a model's name. */
  readonly stripsModelPath?: true;
  /** All its models are `maker/model`, its own (`openrouter/auto`) included. */
  readonly namesModelsByPath?: true;
  /** Wants `max_completion_tokens`, whatever the model. */
  readonly usesMaxCompletionTokens?: true;
  /** Takes no temperature together with an effort. */
  readonly effortExcludesTemperature?: true;
  /** Fields laid over the body when the model's name contains `fragment`; the first match counts. */
  readonly modelOverrides?: readonly { readonly fragment: string; readonly body: JsonObject }[];
  /** Understands `cache_control` on blocks and tools. */
  readonly cachesPrompts?: true;
  readonly thinkingStyle?: ThinkingStyle;
  /** Wants the reasoning of earlier answers back. */
  readonly keepsReasoning?: true;
  /** Wants `extra_content` of tool calls back. */
  readonly keepsExtraContent?: true;
  /** Takes only call ids of nine letters and digits. */
  readonly wantsShortCallIds?: true;
  /** Puts the answer itself into `reasoning` when it has no content. */
  readonly answersInReasoning?: true;
  /** Sent with each request; the user's `extraHeaders` win. */
  readonly headers?: Readonly<Record<string, string>>;
}

const KIMI_TEMPERATURE: Vendor["modelOverrides"] = ["kimi-k2.5", "kimi-k2.6"].map((fragment) => ({
  fragment,
  body: { temperature: 1 },
}));

/** All vendors; the order decides where several would do. */
export const VENDORS: readonly Vendor[] = [
  vendor("custom", "Custom", [], { kinds: ["direct"] }),
  vendor("azure_openai", "Azure OpenAI", ["azure", "azure-openai"], {
    kinds: ["direct"],
    backend: "azure_openai",
  }),
  vendor("openrouter", "OpenRouter", ["openrouter"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://openrouter.ai/api/v1",
    namesModelsByPath: true,
    cachesPrompts: true,
    headers: {
      "X-OpenRouter-Title": "Troupe",
      "X-OpenRouter-Categories": "cli-agent,personal-agent",
    },
  }),
  vendor("aihubmix", "AiHubMix", ["aihubmix"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://aihubmix.com/v1",
    stripsModelPath: true,
  }),
  vendor("siliconflow", "SiliconFlow", ["siliconflow"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://api.siliconflow.cn/v1",
  }),
  vendor("volcengine", "VolcEngine", ["volcengine", "volces", "ark"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://ark.cn-beijing.volces.com/api/v3",
    thinkingStyle: "thinking_type",
  }),
  vendor("volcengine_coding_plan", "VolcEngine Coding Plan", ["volcengine-plan"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://ark.cn-beijing.volces.com/api/coding/v3",
    stripsModelPath: true,
    thinkingStyle: "thinking_type",
  }),
  vendor("byteplus", "BytePlus", ["byteplus"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://ark.ap-southeast.bytepluses.com/api/v3",
    stripsModelPath: true,
    thinkingStyle: "thinking_type",
  }),
  vendor("byteplus_coding_plan", "BytePlus Coding Plan", ["byteplus-plan"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://ark.ap-southeast.bytepluses.com/api/coding/v3",
    stripsModelPath: true,
    thinkingStyle: "thinking_type",
  }),
  vendor("anthropic", "Anthropic", ["anthropic", "claude"], {
    backend: "anthropic",
    cachesPrompts: true,
  }),
  vendor("openai", "OpenAI", ["openai", "gpt"], {
    // The open weights run everywhere but at OpenAI.
    notKeywords: ["gpt-oss"],
    defaultBaseUrl: "https://api.openai.com/v1",
    usesMaxCompletionTokens: true,
    effortExcludesTemperature: true,
  }),
  vendor("openai_codex", "OpenAI Codex", ["openai-codex"], {
    kinds: ["oauth"],
    backend: "openai_codex",
    defaultBaseUrl: "https://chatgpt.com/backend-api",
  }),
  vendor("github_copilot", "Github Copilot", ["github_copilot", "copilot"], {
    kinds: ["oauth"],
    backend: "github_copilot",
    defaultBaseUrl: "https://api.githubcopilot.com",
    stripsModelPath: true,
  }),
  vendor("deepseek", "DeepSeek", ["deepseek"], {
    defaultBaseUrl: "https://api.deepseek.com",
    keepsReasoning: true,
  }),
  vendor("gemini", "Gemini", ["gemini"], {
    defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta/openai/",
    keepsExtraContent: true,
  }),
  vendor("zhipu", "Zhipu AI", ["zhipu", "glm", "zai"], {
    defaultBaseUrl: "https://open.bigmodel.cn/api/paas/v4",
    keepsReasoning: true,
  }),
  vendor("dashscope", "DashScope", ["qwen", "dashscope"], {
    defaultBaseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    thinkingStyle: "enable_thinking",
  }),
  vendor("moonshot", "Moonshot", ["moonshot", "kimi"], {
    defaultBaseUrl: "https://api.moonshot.ai/v1",
    modelOverrides: KIMI_TEMPERATURE,
    keepsReasoning: true,
  }),
  vendor("minimax", "MiniMax", ["minimax"], {
    defaultBaseUrl: "https://api.minimax.io/v1",
    thinkingStyle: "reasoning_split",
  }),
  vendor("minimax_anthropic", "MiniMax (Anthropic)", ["minimax_anthropic"], {
    backend: "anthropic",
    defaultBaseUrl: "https://api.minimax.io/anthropic",
  }),
  vendor("mistral", "Mistral", ["mistral"], {
    defaultBaseUrl: "https://api.mistral.ai/v1",
    wantsShortCallIds: true,
  }),
  vendor("stepfun", "Step Fun", ["stepfun", "step"], {
    defaultBaseUrl: "https://api.stepfun.com/v1",
    answersInReasoning: true,
  }),
  vendor("xiaomi_mimo", "Xiaomi MIMO", ["xiaomi_mimo", "mimo"], {
    defaultBaseUrl: "https://api.xiaomimimo.com/v1",
    keepsReasoning: true,
  }),
  vendor("vllm", "vLLM/Local", ["vllm"], { kinds: ["local"] }),
  vendor("ollama", "Ollama", ["ollama", "nemotron"], {
    kinds: ["local"],
    defaultBaseUrl: "http://localhost:11434/v1",
    baseUrlHint: "11434",
  }),
  vendor("lm_studio", "LM Studio", ["lm-studio", "lmstudio", "lm_studio"], {
    kinds: ["local"],
    defaultBaseUrl: "http://localhost:1234/v1",
    baseUrlHint: "1234",
  }),
  vendor("ovms", "OpenVINO Model Server", ["openvino", "ovms"], {
    kinds: ["direct", "local"],
    defaultBaseUrl: "http://localhost:8000/v3",
  }),
  vendor("groq", "Groq", ["groq"], { defaultBaseUrl: "https://api.groq.com/openai/v1" }),
  vendor("qianfan", "Qianfan", ["qianfan", "ernie"], {
    defaultBaseUrl: "https://qianfan.baidubce.com/v2",
  }),
];

function vendor(
  name: string,
  displayName: string,
  keywords: readonly string[],
  traits: Partial<Omit<Vendor, "name" | "displayName" | "keywords">>,
): Vendor {
  return { name, displayName, keywords, backend: "openai_compatible", kinds: [], ...traits };
}

/** Finds a vendor by its name in snake_case, camelCase or with hyphens. */
export function findVendor(name: string): Vendor | undefined {
  const wanted = toSnakeCase(name);
  return VENDORS.find((vendor) => vendor.name === wanted);
}

/** `volcengineCodingPlan` and `volcengine-coding-plan` as `volcengine_coding_plan`. */
export function toSnakeCase(name: string): string {
  return name.replaceAll("-", "_").replace(/(?<=[a-z0-9])[A-Z]/g, "_$&").toLowerCase();
}

/** `lm_studio` as `lmStudio`: the key in the config. */
export function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
