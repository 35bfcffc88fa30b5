/**
 * Which models answer under a config: the configured one, and those that stand in for it.
 * @module
 */

import {
  chooseProvider,
  type ChosenProvider,
  type ProviderChoice,
  type ProviderSection,
} from "./choice.ts";

/** One of `agents.defaults.fallbackModels`; what is null is as for the first model. */
export interface FallbackModel {
  readonly model: string;
  /** A vendor's name, or `auto`. */
  readonly provider: string;
  readonly maxTokens: number | null;
  readonly contextWindowTokens: number | null;
  readonly temperature: number | null;
  /** Null is the vendor's own default. */
  readonly reasoningEffort: string | null;
}

/** A model that stands in, and who answers for it. */
export interface ChosenFallback {
  readonly fallback: FallbackModel;
  readonly choice: ChosenProvider;
}

/** What the config says about models: `agents.defaults`. */
export interface ModelSettings {
  readonly model: string;
  readonly provider: string;
  readonly fallbackModels: readonly FallbackModel[];
}

/** All models that may be asked, in their order. */
export interface ChosenModels {
  readonly state: "chosen";
  readonly model: string;
  readonly choice: ChosenProvider;
  readonly fallbacks: readonly ChosenFallback[];
}

/** Who answers, or what keeps the first bad entry from working. */
export type ModelChoice = ChosenModels | Exclude<ProviderChoice, ChosenProvider>;

/** What keeps a set-up from working. */
export type ModelProblem = Extract<ModelChoice, { readonly state: "problem" }>;

/** Chooses for each model alike. */
export function chooseModels(
  { model, provider, fallbackModels }: ModelSettings,
  providers: Readonly<Record<string, ProviderSection | undefined>>,
): ModelChoice {
  const choice = chooseProvider({ model, provider, providers });
  if (choice.state !== "chosen") return choice;
  const fallbacks: ChosenFallback[] = [];
  for (const [index, fallback] of fallbackModels.entries()) {
    const { model, provider } = fallback;
    const choice = chooseProvider({ model, provider, providers });
    if (choice.state !== "chosen") {
      const problem = choice.state === "problem"
        ? choice.problem
        : `no provider is set up for "${model}"`;
      return { state: "problem", key: `agents.defaults.fallbackModels[${index}]`, problem };
    }
    fallbacks.push({ fallback, choice });
  }
  return { state: "chosen", model, choice, fallbacks };
}

/** What keeps a choice from working, with the key of the config that it is about. */
export function problemText({ key, problem }: ModelProblem): string {
  return problem.includes(`"${key}"`) ? problem : `Cannot use "${key}": ${problem}`;
}

/** Who answers, in one line for people. */
export function modelsLine({ model, choice, fallbacks }: ChosenModels): string {
  const others = fallbacks.map(({ fallback, choice: { vendor } }) =>
    `, else ${fallback.model} by ${vendor.displayName}`
  );
  return `Model: ${model} by ${choice.vendor.displayName} at ${choice.baseUrl}${others.join("")}`;
}

/**
 * The window that a prompt must fit, in tokens, so that each of the models can be asked: the
 * smallest, less what a longer answer takes of it. 0 is without a limit.
 *
 * @param first what holds for the first model, and for others that say nothing
 */
export function sharedWindowTokens(
  first: { readonly maxTokens: number; readonly contextWindowTokens: number },
  others: readonly Pick<FallbackModel, "maxTokens" | "contextWindowTokens">[],
): number {
  const windows = [first, ...others].flatMap(({ maxTokens, contextWindowTokens }) => {
    const windowTokens = contextWindowTokens ?? first.contextWindowTokens;
    const answerTokens = maxTokens ?? first.maxTokens;
    return windowTokens === 0 ? [] : [Math.max(1, windowTokens - answerTokens + first.maxTokens)];
  });
  return windows.length === 0 ? 0 : Math.min(...windows);
}
