/**
 * Section `agents`: how the assistant thinks, and within which limits.
 * @module
 */

import { z } from "zod";
import { isTimeZone } from "../../kernel/local_time.ts";
import { wholeNumber } from "./values.ts";

/** Stands for the folder `workspace` in the config home, wherever that is. */
export const DEFAULT_WORKSPACE = "~/.troupe/workspace";

/** The job that turns conversations into long-term memory. */
export interface DreamConfig {
  /** Hours between two runs. */
  readonly intervalH: number;
  /** Older form of the schedule; replaces the interval. */
  readonly cron: string | null;
  /** A model for this job alone. */
  readonly modelOverride: string | null;
  /** History entries per run. */
  readonly maxBatchSize: number;
  /** Tool rounds per run. */
  readonly maxIterations: number;
  /** Shows the model how old each line of its memory is. */
  readonly annotateLineAges: boolean;
}

/** A model that is asked when the one before it gives no answer. */
export interface FallbackModelConfig {
  readonly model: string;
  /** A provider's name in any spelling, or `auto`. */
  readonly provider: string;
  /** Tokens of one answer; null is as for the first model. */
  readonly maxTokens: number | null;
  /** Tokens of a whole request; null is as for the first model. */
  readonly contextWindowTokens: number | null;
  /** Null is as for the first model. */
  readonly temperature: number | null;
  /** Null leaves it to the model. */
  readonly reasoningEffort: string | null;
}

/** What holds for every turn. */
export interface AgentDefaults {
  /** Absolute path once loaded. */
  readonly workspace: string;
  readonly model: string;
  /** A provider's registry name, the name of one's own provider, or `auto`. */
  readonly provider: string;
  /** Tokens of one answer. */
  readonly maxTokens: number;
  /** Tokens of a whole request; 0 turns every budget off. */
  readonly contextWindowTokens: number;
  /** Replaces the computed input budget, in tokens; null or 0 leaves it. */
  readonly contextBlockLimit: number | null;
  readonly temperature: number;
  /** Model calls per turn. */
  readonly maxToolIterations: number;
  /** Characters of a tool result that go to the model as they are. */
  readonly maxToolResultChars: number;
  readonly providerRetryMode: "standard" | "persistent";
  /** Asked in this order when `model` gives no answer. */
  readonly fallbackModels: readonly FallbackModelConfig[];
  readonly reasoningEffort: string | null;
  /** IANA name. */
  readonly timezone: string;
  /** All channels share one conversation. */
  readonly unifiedSession: boolean;
  /** Whose memory is whose: everybody shares one, or each person or chat has its own. */
  readonly memoryScope: "global" | "person" | "chat";
  readonly disabledSkills: readonly string[];
  /** Idle minutes before a conversation is compacted; 0 is never. */
  readonly idleCompactAfterMinutes: number;
  /** Turns that run at once over all sessions; 0 or less is no limit. */
  readonly maxConcurrentRequests: number;
  /** Subagents that work at once over all sessions; others wait for their place. */
  readonly maxConcurrentSubagents: number;
  readonly dream: DreamConfig;
}

/** What may be used before turns have to wait; null is no limit. */
export interface BudgetConfig {
  /** Tokens in and out. */
  readonly tokens: number | null;
  /** US dollars, as far as prices are known. */
  readonly usd: number | null;
}

/** US dollars for a million tokens of a model. */
export interface PriceConfig {
  readonly input: number;
  readonly output: number;
  /** Of the input, what comes from the vendor's cache; null is as for the rest. */
  readonly cachedInput: number | null;
  /** Of the input, what goes into the vendor's cache; null is as for the rest. */
  readonly cacheWrite: number | null;
}

/** What holds for each subagent. */
export interface SubagentsConfig {
  /** Rounds of tools. */
  readonly maxIterations: number;
  /** Seconds from its first step to its result. */
  readonly timeoutS: number;
  /** Tokens in and out over all its calls; null is no limit but the budgets. */
  readonly maxTokens: number | null;
  /** Shows its steps in the chat. */
  readonly sendProgress: boolean;
}

/** What a goal may use at most, and has where nobody says otherwise. */
export interface GoalsConfig {
  readonly maxTurns: number;
  /** Tokens in and out; null is no limit but the budgets. */
  readonly maxTokens: number | null;
  readonly maxMinutes: number;
}

/** Section `agents`. */
export interface AgentsConfig {
  readonly defaults: AgentDefaults;
  readonly goals: GoalsConfig;
  readonly subagents: SubagentsConfig;
  readonly budgets: {
    /** A day of all sessions together, in `defaults.timezone`. */
    readonly perDay: BudgetConfig;
    /** One session, until `/new`. */
    readonly perSession: BudgetConfig;
  };
  /** By model, or `provider/model`; they go before the prices that are built in. */
  readonly prices: Readonly<Record<string, PriceConfig>>;
}

const budget: z.ZodType<BudgetConfig> = z.object({
  tokens: wholeNumber(1).nullable().default(null),
  usd: z.number().positive().nullable().default(null),
});

const dollars = z.number().min(0);

const price: z.ZodType<PriceConfig> = z.object({
  input: dollars.default(0),
  output: dollars.default(0),
  cachedInput: dollars.nullable().default(null),
  cacheWrite: dollars.nullable().default(null),
});

const budgets = z.object({ perDay: budget.prefault({}), perSession: budget.prefault({}) });

const dream: z.ZodType<DreamConfig> = z.object({
  intervalH: wholeNumber(1, 8_760).default(2),
  cron: z.string().min(1).nullable().default(null),
  modelOverride: z.string().min(1).nullable().default(null),
  maxBatchSize: wholeNumber(1).default(20),
  maxIterations: wholeNumber(1).default(15),
  annotateLineAges: z.boolean().default(true),
});

/** Schema of a model that may be chosen. A name alone is the model's. */
export const fallbackModelSchema: z.ZodType<FallbackModelConfig> = z.preprocess(
  (written) => typeof written === "string" ? { model: written } : written,
  z.object({
    model: z.string().min(1),
    provider: z.string().min(1).default("auto"),
    maxTokens: wholeNumber(1).nullable().default(null),
    contextWindowTokens: wholeNumber(1).nullable().default(null),
    temperature: z.number().min(0).max(2).nullable().default(null),
    reasoningEffort: z.string().min(1).nullable().default(null),
  }),
);

/** Schema of `modelPresets`; `default` stands for the model of `agents.defaults`. */
export const modelPresetsSchema: z.ZodType<Readonly<Record<string, FallbackModelConfig>>> = z
  .record(
    z.string().regex(/^(?!default$)\S{1,100}$/i, {
      error: 'is no name for a preset: a word other than "default"',
    }),
    fallbackModelSchema,
  );

const agentDefaults: z.ZodType<AgentDefaults> = z.object({
  workspace: z.string().min(1).default(DEFAULT_WORKSPACE),
  model: z.string().min(1).default("anthropic/claude-opus-4-5"),
  provider: z.string().min(1).default("auto"),
  maxTokens: wholeNumber(1).default(8_192),
  contextWindowTokens: wholeNumber(0).default(65_536),
  contextBlockLimit: wholeNumber(0).nullable().default(null),
  temperature: z.number().min(0).max(2).default(0.1),
  maxToolIterations: wholeNumber(1, 10_000).default(200),
  maxToolResultChars: wholeNumber(1).default(16_000),
  providerRetryMode: z.enum(["standard", "persistent"]).default("standard"),
  fallbackModels: z.array(fallbackModelSchema).default([]),
  reasoningEffort: z.string().min(1).nullable().default(null),
  timezone: z.string().refine(isTimeZone, {
    error: 'is not a time zone, such as "UTC" or "Asia/Shanghai"',
  }).default("UTC"),
  unifiedSession: z.boolean().default(false),
  memoryScope: z.enum(["global", "person", "chat"]).default("global"),
  disabledSkills: z.array(z.string()).default([]),
  idleCompactAfterMinutes: wholeNumber(0).default(0),
  maxConcurrentRequests: z.int().default(3),
  maxConcurrentSubagents: wholeNumber(1, 100).default(3),
  dream: dream.prefault({}),
});

const subagents: z.ZodType<SubagentsConfig> = z.object({
  maxIterations: wholeNumber(1, 10_000).default(15),
  timeoutS: wholeNumber(1, 86_400).default(1_800),
  maxTokens: wholeNumber(1).nullable().default(null),
  sendProgress: z.boolean().default(false),
});

const goals: z.ZodType<GoalsConfig> = z.object({
  maxTurns: wholeNumber(1, 1_000).default(20),
  maxTokens: wholeNumber(1).nullable().default(1_000_000),
  maxMinutes: wholeNumber(1, 43_200).default(240),
});

/** Schema of section `agents`. */
export const agentsSchema: z.ZodType<AgentsConfig> = z.object({
  defaults: agentDefaults.prefault({}),
  goals: goals.prefault({}),
  subagents: subagents.prefault({}),
  budgets: budgets.prefault({}),
  prices: z.record(z.string(), price).default({}),
});
