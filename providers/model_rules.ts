/**
 * What models are like, whoever serves them.
 * @module
 */

import type { ModelRule } from "./trait_kinds.ts";

/** No effort is sent. */
const NO_EFFORT = { effortFields: [] } as const;

/** All rules that fit a name apply, later ones over earlier ones. */
export const MODEL_RULES: readonly ModelRule[] = [
  // They think on their own terms and count their tokens anew.
  {
    models: /^(?:o[134](?:$|[-.])|gpt-5)/,
    traits: {
      limitField: "max_completion_tokens",
      temperature: "never",
      wantsResponses: true,
    },
  },
  // Kimi takes the switch or the effort, never both.
  {
    models: /^(?:kimi-k2\.[56](?:$|-)|k2\.6-code-preview$)/,
    traits: { ...NO_EFFORT, thinkingSwitch: "thinking_type", reasoning: "keep" },
  },
  {
    models: /^kimi-(?:k2-thinking|k2\.7)/,
    traits: { thinksUnasked: true, reasoning: "keep" },
  },
  { models: /^kimi-k2\.7-code/, traits: { ...NO_EFFORT, thinkingSwitch: null } },
  {
    models: /^kimi-k3/,
    traits: {
      limitField: "max_completion_tokens",
      temperature: "never",
      efforts: { high: "max", medium: null, low: null, minimal: null, minimum: null },
      reasoning: "keep",
    },
  },
  {
    models: /^mimo-v2(?:\.5(?:-pro)?|-pro|-omni)$/,
    traits: { thinkingSwitch: "thinking_type", reasoning: "keep" },
  },
  { models: /^qwen-?3\.[567]/, traits: { thinkingSwitch: "enable_thinking" } },
  // The first answers 400 to a conversation that gives its thoughts back, the others to one that
  // does not.
  { models: /^deepseek-r1/, traits: { reasoning: "drop", thinksUnasked: true } },
  { models: /^deepseek-(?:reasoner|v[4-9])/, traits: { reasoning: "fill", thinksUnasked: true } },
  { models: /^gemini-/, traits: { extraContent: "keep" } },
  { models: /^gemini-(?:[3-9]|\d\d)/, traits: { extraContent: "sign" } },
  { models: /^magistral/, traits: { ...NO_EFFORT, thinksUnasked: true } },
  { models: /^claude-3-(?:opus|sonnet|haiku)/, traits: { outputTokensMax: 4_096 } },
  { models: /^claude-3[-.]5/, traits: { outputTokensMax: 8_192 } },
  { models: /^claude-3[-.]7/, traits: { outputTokensMax: 64_000 } },
  { models: /^claude-(?:opus|sonnet|haiku)-4/, traits: { outputTokensMax: 64_000 } },
  { models: /^claude-opus-4(?:[-.][01])?(?:$|-\d{8})/, traits: { outputTokensMax: 32_000 } },
  {
    models: /^claude-opus-4[-.](?:[7-9]|[1-9]\d)(?!\d)/,
    traits: { thinkingForm: "adaptive" },
  },
  {
    models: /^claude-(?:opus|sonnet)-(?:[5-9]|[1-9]\d)(?!\d)/,
    traits: { thinkingForm: "adaptive_or_off" },
  },
  {
    models: /^claude-(?:fable|mythos)-(?:[5-9]|[1-9]\d)(?!\d)/,
    traits: { thinkingForm: "adaptive" },
  },
];
