/**
 * Those who make models and serve them.
 * @module
 */

import type { Traits } from "../trait_kinds.ts";
import { type Vendor, vendor } from "../vendor.ts";

/** What Anthropic's API insists on; those who copy it have taken that over. */
const ANTHROPIC: Partial<Traits> = {
  callIds: "word_64",
  schema: ["no_root_union"],
  cachesPrompts: true,
};

/** The official endpoints of OpenAI and the plans that lead to them. */
const OPENAI: Partial<Traits> = {
  limitField: "max_completion_tokens",
  temperature: "without_effort",
  callIds: "word_40",
  namesResults: false,
  schema: ["no_root_union"],
};

/** In order. */
export const MAKERS: readonly Vendor[] = [
  vendor("anthropic", "Anthropic", ["anthropic", "claude"], {
    backend: "anthropic",
    defaultBaseUrl: "https://api.anthropic.com",
    keyPrefix: "sk-ant-",
    always: ANTHROPIC,
  }),
  vendor("openai", "OpenAI", ["openai", "gpt"], {
    backend: "openai",
    // The open weights run everywhere but at OpenAI.
    notKeywords: ["gpt-oss"],
    defaultBaseUrl: "https://api.openai.com/v1",
    traits: OPENAI,
  }),
  vendor("openai_codex", "OpenAI Codex", ["openai-codex"], {
    kinds: ["oauth"],
    backend: "openai_codex",
    defaultBaseUrl: "https://chatgpt.com/backend-api",
    traits: OPENAI,
  }),
  vendor("github_copilot", "Github Copilot", ["github_copilot", "copilot"], {
    kinds: ["oauth"],
    backend: "github_copilot",
    defaultBaseUrl: "https://api.githubcopilot.com",
    stripsModelPath: true,
    traits: { limitField: "max_completion_tokens", callIds: "word_40" },
  }),
  vendor("deepseek", "DeepSeek", ["deepseek"], {
    defaultBaseUrl: "https://api.deepseek.com",
    traits: { reasoning: "fill", thinkingSwitch: "thinking_type", textOnly: true },
    models: [{ models: /vision|-vl/, traits: { textOnly: false } }],
  }),
  vendor("gemini", "Gemini", ["gemini", "gemma"], {
    defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyPrefix: "AIza",
    traits: { extraContent: "keep", schema: ["gemini_subset"] },
  }),
  vendor("zhipu", "Zhipu AI", ["zhipu", "glm", "zai"], {
    defaultBaseUrl: "https://open.bigmodel.cn/api/paas/v4",
    traits: { reasoning: "keep", toolBody: { tool_stream: true } },
  }),
  vendor("dashscope", "DashScope", ["qwen", "dashscope"], {
    defaultBaseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    traits: {
      thinkingSwitch: "enable_thinking",
      efforts: { minimal: "minimum", minimum: "minimum" },
    },
  }),
  vendor("moonshot", "Moonshot", ["moonshot", "kimi"], {
    defaultBaseUrl: "https://api.moonshot.ai/v1",
    traits: { reasoning: "keep", schema: ["no_root_union"] },
    models: [{ models: /^kimi-k2\.[567]/, traits: { body: { temperature: 1 } } }],
  }),
  vendor("minimax", "MiniMax", ["minimax"], {
    defaultBaseUrl: "https://api.minimax.io/v1",
    traits: { thinkingSwitch: "reasoning_split" },
  }),
  vendor("minimax_anthropic", "MiniMax (Anthropic)", ["minimax_anthropic"], {
    backend: "anthropic",
    defaultBaseUrl: "https://api.minimax.io/anthropic",
    always: ANTHROPIC,
  }),
  vendor("kimi_coding", "Kimi Coding", ["kimi-coding", "kimi-for-coding"], {
    backend: "anthropic",
    defaultBaseUrl: "https://api.kimi.com/coding",
    headers: { "User-Agent": "claude-code/0.1.0" },
    always: ANTHROPIC,
  }),
  vendor("mistral", "Mistral", [
    "mistral",
    "magistral",
    "ministral",
    "codestral",
    "devstral",
  ], {
    defaultBaseUrl: "https://api.mistral.ai/v1",
    traits: {
      efforts: {
        none: "none",
        minimal: "none",
        minimum: "none",
        low: "none",
        medium: "high",
        high: "high",
      },
    },
    always: {
      limitField: "max_tokens",
      reasoning: "drop",
      callIds: "nine",
      separatesResults: true,
    },
  }),
  vendor("stepfun", "Step Fun", ["stepfun", "step"], {
    defaultBaseUrl: "https://api.stepfun.com/v1",
    always: { answersInReasoning: true },
  }),
  vendor("xiaomi_mimo", "Xiaomi MIMO", ["xiaomi_mimo", "mimo"], {
    defaultBaseUrl: "https://api.xiaomimimo.com/v1",
    traits: { reasoning: "keep", thinkingSwitch: "thinking_type" },
  }),
];
