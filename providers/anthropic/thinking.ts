/**
 * How Claude is asked to think, and what that leaves for the answer.
 * @module
 */

import type { JsonObject } from "../../actors/kernel/json.ts";
import { isThinking } from "../effort.ts";
import type { ChatRequest } from "../provider.ts";
import type { Traits } from "../trait_kinds.ts";

/** Least tokens for thoughts that the API takes. */
const BUDGET_MIN = 1_024;
/** Tokens that stay for the answer besides the thoughts. */
const ANSWER_TOKENS = 4_096;
const BUDGETS: Readonly<Record<string, number>> = { low: 1_024, medium: 4_096 };
const HIGH_BUDGET_MIN = 8_192;

/** The fields of a request that thinking decides. */
export interface ThinkingPlan {
  /** Thoughts are asked for, so that earlier ones go along. */
  readonly isOn: boolean;
  readonly fields: JsonObject;
}

/**
 * Plans the thinking of a request.
 *
 * @param mayBudget false where the API would refuse a budget: the last calls came without thoughts
 */
export function planThinking(
  request: Pick<ChatRequest, "reasoningEffort" | "tokensMax" | "temperature">,
  traits: Traits,
  mayBudget: boolean,
): ThinkingPlan {
  const tokensMax = Math.max(1, Math.min(request.tokensMax, traits.outputTokensMax ?? Infinity));
  const effort = request.reasoningEffort ?? "";
  const isOn = isThinking(effort, { thinksUnasked: false });
  if (traits.thinkingForm !== "budget") return planAdaptive(effort, tokensMax, traits);
  // Thoughts come at this temperature only.
  const warm = temperatureOf(1, traits);
  if (isOn && effort === "adaptive") {
    return { isOn, fields: { max_tokens: tokensMax, ...warm, thinking: { type: "adaptive" } } };
  }
  const budget = isOn && mayBudget ? budgetOf(effort, tokensMax, traits) : undefined;
  if (budget === undefined) {
    const fields = { max_tokens: tokensMax, ...temperatureOf(request.temperature, traits) };
    return { isOn: false, fields };
  }
  const thinking = { type: "enabled", budget_tokens: budget.thoughts };
  return { isOn, fields: { max_tokens: budget.tokensMax, ...warm, thinking } };
}

function temperatureOf(temperature: number, traits: Traits): JsonObject {
  return traits.temperature === "never" ? {} : { temperature };
}

/** Newer models decide themselves how much to think; they take an effort and no temperature. */
function planAdaptive(effort: string, tokensMax: number, traits: Traits): ThinkingPlan {
  const fields = { max_tokens: tokensMax };
  // Nothing set: the model's own default, under which it may have thought.
  if (effort === "") return { isOn: true, fields };
  if (!isThinking(effort, { thinksUnasked: false })) {
    const thinking = { type: "disabled" };
    return {
      isOn: false,
      fields: traits.thinkingForm === "adaptive_or_off" ? { ...fields, thinking } : fields,
    };
  }
  const thinking = { type: "adaptive" };
  return {
    isOn: true,
    fields: effort === "adaptive"
      ? { ...fields, thinking }
      : { ...fields, thinking, output_config: { effort } },
  };
}

function budgetOf(
  effort: string,
  tokensMax: number,
  { outputTokensMax }: Traits,
): { readonly thoughts: number; readonly tokensMax: number } | undefined {
  const wanted = effort === "high"
    ? Math.max(HIGH_BUDGET_MIN, tokensMax)
    : BUDGETS[effort] ?? ANSWER_TOKENS;
  const limit = outputTokensMax ?? Infinity;
  const total = Math.min(Math.max(tokensMax, wanted + ANSWER_TOKENS), limit);
  const thoughts = Math.min(wanted, total - BUDGET_MIN);
  return thoughts < BUDGET_MIN ? undefined : { thoughts, tokensMax: total };
}
