/**
 * What can be said of vendors and models: how they want their requests, and how they answer.
 * @module
 */

import type { JsonObject } from "../actors/kernel/json.ts";

/** The field that switches thinking, besides an effort. */
export type ThinkingSwitch = "enable_thinking" | "reasoning_split" | "thinking_type";

/** How ids of tool calls may look: anything; nine letters and digits; a word of up to 40 or 64. */
export type CallIdForm = "any" | "nine" | "word_40" | "word_64";

/** What a vendor's tool schemas must not hold; see `messages/schema.ts`. */
export type SchemaRule = "no_root_union" | "gemini_subset";

/** How a model of a vendor wants its requests, and how it answers. */
export interface Traits {
  /** The field for the longest answer. */
  readonly limitField: "max_tokens" | "max_completion_tokens";
  readonly temperature: "always" | "without_effort" | "never";
  /** Laid over the body. */
  readonly body: JsonObject;
  /** Laid over the body when it has tools. */
  readonly toolBody: JsonObject;
  /** What is sent for a word of effort; null: nothing. Words that are missing go as they are. */
  readonly efforts: Readonly<Record<string, string | null>>;
  /** Where the effort stands. */
  readonly effortFields: readonly ("reasoning_effort" | "reasoning")[];
  readonly thinkingSwitch: ThinkingSwitch | null;
  /** Works better, or only, with OpenAI's Responses API, where the vendor has it. */
  readonly wantsResponses: boolean;
  /** Thinks, also when no effort is set. */
  readonly thinksUnasked: boolean;
  /** Earlier reasoning: left out; sent back; sent back, and "" where there is none. */
  readonly reasoning: "drop" | "keep" | "fill";
  /** Gemini's `extra_content` of calls; `sign`: with a stand-in where a signature is missing. */
  readonly extraContent: "drop" | "keep" | "sign";
  readonly callIds: CallIdForm;
  /** Sends the name of the tool with its result. */
  readonly namesResults: boolean;
  /** Refuses a user message right behind tool results. */
  readonly separatesResults: boolean;
  /** Takes content as text only. */
  readonly textOnly: boolean;
  readonly schema: readonly SchemaRule[];
  /** Takes `cache_control` on blocks and tools. */
  readonly cachesPrompts: boolean;
  /** Puts the answer itself into `reasoning` when it has no content. */
  readonly answersInReasoning: boolean;
  /** How Anthropic's API is asked for thoughts: by a budget; or the model decides, and can be
   * switched off in some. */
  readonly thinkingForm: "budget" | "adaptive" | "adaptive_or_off";
  /** Longest answer that the model can give, in tokens; null: not known. */
  readonly outputTokensMax: number | null;
}

/** The way OpenAI does it, as far as all others do so too. */
export const DEFAULT_TRAITS: Traits = {
  limitField: "max_tokens",
  temperature: "always",
  body: {},
  toolBody: {},
  // "adaptive" leaves it to the model, which no effort says best.
  efforts: { none: null, adaptive: null, minimum: "minimal" },
  effortFields: ["reasoning_effort"],
  thinkingSwitch: null,
  wantsResponses: false,
  thinksUnasked: false,
  reasoning: "drop",
  extraContent: "drop",
  callIds: "any",
  namesResults: true,
  separatesResults: false,
  textOnly: false,
  schema: [],
  cachesPrompts: false,
  answersInReasoning: false,
  thinkingForm: "budget",
  outputTokensMax: null,
};

/** Traits for models whose names fit. */
export interface ModelRule {
  /** Tested against the last part of the name, in lower case. */
  readonly models: RegExp;
  readonly traits: Partial<Traits>;
}
