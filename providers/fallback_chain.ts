/**
 * The models that stand in for the configured one, from the config to a provider.
 * @module
 */

import { chooseProvider, type ChosenProvider, type ProviderSection } from "./choice.ts";
import { withFallback } from "./fallback.ts";
import { createProvider, type LoadableProvider, type ProviderOptions } from "./registry.ts";
import { withRetry } from "./retry.ts";

/** One of `agents.defaults.fallbackModels`; what is null is as for the first model. */
export interface FallbackModel {
  readonly model: string;
  /** A vendor's name, or `auto`. */
  readonly provider: string;
  readonly maxTokens: number | null;
  readonly temperature: number | null;
  /** Null is the vendor's own default. */
  readonly reasoningEffort: string | null;
}

/** A model that stands in, and who answers for it. */
export interface ChosenFallback {
  readonly fallback: FallbackModel;
  readonly choice: ChosenProvider;
}

/** Who answers for each, or what keeps the first bad one from working. */
export type FallbackChoice =
  | { readonly state: "chosen"; readonly chosen: readonly ChosenFallback[] }
  | {
    readonly state: "problem";
    /** Path in the config. */
    readonly key: string;
    readonly problem: string;
  };

/** Chooses as for the first model. */
export function chooseFallbacks(
  fallbackModels: readonly FallbackModel[],
  providers: Readonly<Record<string, ProviderSection | undefined>>,
): FallbackChoice {
  const chosen: ChosenFallback[] = [];
  for (const [index, fallback] of fallbackModels.entries()) {
    const { model, provider } = fallback;
    const choice = chooseProvider({ model, provider, providers });
    if (choice.state !== "chosen") {
      const problem = choice.state === "problem"
        ? choice.problem
        : `no provider is set up for "${model}"`;
      return { state: "problem", key: `agents.defaults.fallbackModels[${index}]`, problem };
    }
    chosen.push({ fallback, choice });
  }
  return { state: "chosen", chosen };
}

/**
 * The provider for the first model and those that stand in for it. Each is tried as often as
 * usual before the next; in persistent mode the whole list is gone through again and again.
 */
export function createFallbackProvider(
  primary: ChosenProvider,
  fallbacks: readonly ChosenFallback[],
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
