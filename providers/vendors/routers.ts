/**
 * Those who serve the models of many makers, and endpoints of the user's own. They come first:
 * where no name fits, a router is more likely to have the model than a maker.
 * @module
 */

import { type Vendor, vendor } from "../vendor.ts";

const VOLCENGINE: NonNullable<Vendor["traits"]> = {
  thinkingSwitch: "thinking_type",
  limitField: "max_completion_tokens",
};
const BYTEPLUS: NonNullable<Vendor["traits"]> = { thinkingSwitch: "thinking_type" };

/** In order. */
export const ROUTERS: readonly Vendor[] = [
  vendor("custom", "Custom", [], { kinds: ["direct"] }),
  vendor("azure_openai", "Azure OpenAI", ["azure", "azure-openai"], {
    kinds: ["direct"],
    backend: "azure_openai",
    traits: { temperature: "without_effort", schema: ["no_root_union"] },
  }),
  vendor("openrouter", "OpenRouter", ["openrouter"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://openrouter.ai/api/v1",
    keyPrefix: "sk-or-",
    namesModelsByPath: true,
    traits: { cachesPrompts: true, effortFields: ["reasoning_effort", "reasoning"] },
    headers: {
      "X-OpenRouter-Title": "Troupe",
      "X-OpenRouter-Categories": "cli-agent,personal-agent",
    },
  }),
  vendor("orcarouter", "OrcaRouter", ["orcarouter"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://api.orcarouter.ai/v1",
    keyPrefix: "sk-orca-",
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
    traits: VOLCENGINE,
  }),
  vendor("volcengine_coding_plan", "VolcEngine Coding Plan", ["volcengine-plan"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://ark.cn-beijing.volces.com/api/coding/v3",
    stripsModelPath: true,
    traits: VOLCENGINE,
  }),
  vendor("byteplus", "BytePlus", ["byteplus"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://ark.ap-southeast.bytepluses.com/api/v3",
    stripsModelPath: true,
    traits: BYTEPLUS,
  }),
  vendor("byteplus_coding_plan", "BytePlus Coding Plan", ["byteplus-plan"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://ark.ap-southeast.bytepluses.com/api/coding/v3",
    stripsModelPath: true,
    traits: BYTEPLUS,
  }),
  vendor("edenai", "Eden AI", ["edenai"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://api.edenai.run/v3",
  }),
  vendor("opencode", "OpenCode Zen", ["opencode"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://opencode.ai/zen/v1",
  }),
  vendor("opencode_zen", "OpenCode Zen", ["opencode-zen"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://opencode.ai/zen/v1",
  }),
  vendor("opencode_go", "OpenCode Go", ["opencode-go"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://opencode.ai/zen/go/v1",
  }),
  vendor("huggingface", "Hugging Face", ["huggingface", "hugging-face"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://router.huggingface.co/v1",
    keyPrefix: "hf_",
    namesModelsByPath: true,
  }),
  vendor("skywork", "Skywork", ["skywork", "skyclaw", "apifree"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://api.apifree.ai/agent/v1",
  }),
  vendor("novita", "Novita AI", ["novita"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://api.novita.ai/openai",
  }),
  vendor("modelscope", "ModelScope", ["modelscope"], {
    kinds: ["gateway"],
    defaultBaseUrl: "https://api-inference.modelscope.cn/v1",
    traits: { thinkingSwitch: "enable_thinking" },
  }),
];
