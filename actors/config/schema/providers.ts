/**
 * Section `providers`: keys and addresses of the model servers.
 * @module
 */

import { z } from "zod";
import { foldName } from "../spelling.ts";
import { textMap, textOrNull, urlOrNull } from "./values.ts";

/** One provider. */
export interface ProviderConfig {
  readonly apiKey: string | null;
  readonly apiBase: string | null;
  /** Sent with every request. */
  readonly extraHeaders: Readonly<Record<string, string>> | null;
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
];

/** Schema of one provider. */
export const providerSchema: z.ZodType<ProviderConfig> = z.object({
  apiKey: textOrNull(),
  apiBase: urlOrNull(["http:", "https:"]),
  extraHeaders: textMap().nullable().default(null),
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
  return found ?? { apiKey: null, apiBase: null, extraHeaders: null };
}
