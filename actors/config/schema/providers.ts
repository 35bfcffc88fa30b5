/**
 * Section `providers`: keys and addresses of the model servers.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../kernel/json.ts";
import { foldName } from "../spelling.ts";
import { textMap, textOrNull, urlOrNull } from "./values.ts";

/** One provider. */
export interface ProviderConfig {
  readonly apiKey: string | null;
  readonly apiBase: string | null;
  /** Sent with every request. */
  readonly extraHeaders: Readonly<Record<string, string>> | null;
  /** Parameters of the address of every request. */
  readonly extraQuery: Readonly<Record<string, string>> | null;
  /** Laid over the body of every request. */
  readonly extraBody: JsonObject | null;
  /** What people call a provider of one's own. */
  readonly displayName: string | null;
  /** Which of OpenAI's protocols is spoken; `auto` decides by model. */
  readonly apiType: "auto" | "chat_completions" | "responses";
  /** How thinking is switched, in place of what is known of the provider. */
  readonly thinkingStyle: "enable_thinking" | "reasoning_split" | "thinking_type" | null;
}

/** By key as in the file, in camelCase for the providers known by name. */
export type ProvidersConfig = Readonly<Record<string, ProviderConfig>>;

/** The providers known by name, as keys of section `providers`. */
export const PROVIDER_KEYS: readonly string[] = [
  "custom",
  "azureOpenai",
  "anthropic",
  "openai",
  "openrouter",
  "deepseek",
  "groq",
  "zhipu",
  "dashscope",
  "vllm",
  "ollama",
  "lmStudio",
  "ovms",
  "gemini",
  "moonshot",
  "minimax",
  "minimaxAnthropic",
  "mistral",
  "stepfun",
  "xiaomiMimo",
  "aihubmix",
  "siliconflow",
  "volcengine",
  "volcengineCodingPlan",
  "byteplus",
  "byteplusCodingPlan",
  "qianfan",
  "openaiCodex",
  "githubCopilot",
  "orcarouter",
  "edenai",
  "opencode",
  "opencodeZen",
  "opencodeGo",
  "huggingface",
  "skywork",
  "novita",
  "modelscope",
  "kimiCoding",
  "atomicChat",
  "nvidia",
  "longcat",
  "antLing",
];

/** Schema of one provider. */
export const providerSchema: z.ZodType<ProviderConfig> = z.object({
  apiKey: textOrNull(),
  apiBase: urlOrNull(["http:", "https:"]),
  extraHeaders: textMap().nullable().default(null),
  extraQuery: textMap().nullable().default(null),
  extraBody: z.record(z.string(), z.json()).nullable().default(null),
  displayName: textOrNull(),
  apiType: z.enum(["auto", "chat_completions", "responses"]).default("auto"),
  thinkingStyle: z.enum(["enable_thinking", "reasoning_split", "thinking_type"])
    .nullable().default(null),
});

/** Schema of section `providers`. */
export const providersSchema: z.ZodType<ProvidersConfig> = z.record(z.string(), providerSchema);

/**
 * The settings of a provider under any spelling of its name (`azure_openai`, `azureOpenai`,
 * `azure-openai`); without a section, settings in which nothing is set.
 */
export function providerConfig(providers: ProvidersConfig, name: string): ProviderConfig {
  const wanted = foldName(name);
  const key = Object.keys(providers).find((candidate) => foldName(candidate) === wanted);
  const found = key === undefined ? undefined : providers[key];
  return found ?? providerSchema.parse({});
}
