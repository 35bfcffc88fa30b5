/**
 * The models that stand in for the configured one, from the config to a provider.
 * @module
 */

import { withFallback } from "./fallback.ts";
import type { ChosenModels, FallbackModel } from "./model_choice.ts";
import { createProvider, type LoadableProvider, type ProviderOptions } from "./registry.ts";
import { withRetry } from "./retry.ts";

/**
 * The provider for the first model and those that stand in for it. Each is tried as often as
 * usual before the next; in persistent mode the whole list is gone through again and again.
 */
export function createFallbackProvider(
  { choice: primary, fallbacks }: ChosenModels,
  options: ProviderOptions,
): LoadableProvider {
  if (fallbacks.length === 0) return createProvider(primary, options);
  const first = createProvider(primary, { ...options, retryMode: "standard" });
  const others = fallbacks.map(({ fallback, choice }) => ({
    provider: createProvider(choice, { ...options, retryMode: "standard" }),
    changes: changesOf(fallback),
  }));
  const { clock, random, retryMode: mode } = options;
  const chain = withFallback([{ provider: first, changes: {} }, ...others], { clock });
  const provider = mode === "persistent" ? withRetry(chain, { clock, random, mode }) : chain;
  return { ...provider, preload: () => first.preload() };
}

function changesOf({ model, maxTokens, temperature, reasoningEffort }: FallbackModel) {
  return {
    model,
    reasoningEffort,
    ...(maxTokens !== null && { tokensMax: maxTokens }),
    ...(temperature !== null && { temperature }),
  };
}
