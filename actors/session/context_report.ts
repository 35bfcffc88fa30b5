/**
 * `/context`: what the model has before it in a session, and how much room each part takes.
 * @module
 */

import { estimateTextTokens } from "../../providers/tokens.ts";
import type { CommandScene } from "./command_scene.ts";
import { fitMessages, inputBudget, requestTokens } from "./governance.ts";
import { placeOf } from "./incoming.ts";
import { lastSummary } from "./last_summary.ts";
import { REMEMBERED_TOKENS_MAX } from "./remembered.ts";
import type { PromptSection } from "./ports.ts";

/** A count that the model gave may differ from our estimate by this factor; more is a mistake. */
const CORRECTION_MAX = 3;

/** A part of a request. */
interface Part {
  readonly name: string;
  readonly tokens: number;
}

/** What `/context` tells. Token counts are tokens, estimated unless said otherwise. */
export interface ContextFacts {
  readonly model: string;
  /** Pieces of the system prompt. */
  readonly system: readonly Part[];
  readonly tools: { readonly tokens: number; readonly count: number };
  /** Of messages that are not shown any more; 0 without one. */
  readonly summaryTokens: number;
  /** What passages that a message brings to mind may take up beside it; 0 where none are. */
  readonly rememberedTokensMax: number;
  readonly conversation: {
    readonly tokens: number;
    /** Messages that are shown, and all that the session has. */
    readonly shown: number;
    readonly all: number;
  };
  /** What a request may take up; null is no limit. */
  readonly inputTokensMax: number | null;
  /** Kept for the answer. */
  readonly tokensMax: number;
  /** What the model counted at its newest call, its answer included; 0 when it is not known. */
  readonly countedTokens: number;
}

/** The block that answers `/context`. */
export function contextText(facts: ContextFacts): string {
  const { model, system, tools, summaryTokens, conversation, inputTokensMax: max } = facts;
  const systemTokens = sum(system);
  const estimate = systemTokens + tools.tokens + summaryTokens + conversation.tokens;
  const factor = correction(facts.countedTokens, estimate);
  const shown = (tokens: number) => grouped(Math.round(tokens * factor));
  const total = Math.round(estimate * factor);
  const { shown: count, all } = conversation;
  const { rememberedTokensMax: remembered } = facts;
  return [
    `Context for ${model}: about ${grouped(total)} tokens${shareText(total, max)}`,
    `System prompt: ${shown(systemTokens)}`,
    ...system.map(({ name, tokens }) => `- ${name}: ${shown(tokens)}`),
    `Tools (${tools.count}): ${shown(tools.tokens)}`,
    ...(summaryTokens > 0 ? [`Summary of earlier messages: ${shown(summaryTokens)}`] : []),
    ...(remembered > 0
      ? [`Remembered passages: up to ${remembered} more, where a message calls for them`]
      : []),
    `Conversation (${count} of ${all} ${all === 1 ? "message" : "messages"}): ` +
    shown(conversation.tokens),
    ...(max === null ? [] : [`Free: ${grouped(Math.max(0, max - total))}`]),
    `Kept for the answer: ${grouped(facts.tokensMax)}`,
    factor === 1
      ? "Estimated: the model has not counted yet."
      : `Estimated, and corrected by what the model counted last (${
        grouped(facts.countedTokens)
      }).`,
  ].join("\n");
}

/** Tells it for the session of a command. @throws what the prompt's files throw */
export async function context(scene: CommandScene): Promise<string> {
  const { services, log: { conversation }, memory } = scene;
  const { settings, tools } = services;
  const sections = await sectionsOf(scene);
  const definitions = tools.definitions();
  const inputTokensMax = inputBudget(settings);
  const system = sections.map(({ text }) => text).join("\n\n");
  const [, ...shown] = fitMessages(
    [{ role: "system", content: system }, ...conversation.replay()],
    {
      inputTokensMax: memory.requestLimit(inputTokensMax),
      tools: definitions,
    },
  );
  return contextText({
    model: settings.model,
    system: sections.map(({ name, text }) => ({ name, tokens: estimateTextTokens(text) })),
    tools: {
      tokens: requestTokens([], definitions),
      count: definitions.length,
    },
    summaryTokens: estimateTextTokens(lastSummary(conversation.metadata)?.text ?? ""),
    rememberedTokensMax: services.remind === undefined ? 0 : REMEMBERED_TOKENS_MAX,
    conversation: {
      tokens: requestTokens(shown, []),
      shown: shown.length,
      all: conversation.messages.length,
    },
    inputTokensMax,
    tokensMax: settings.tokensMax,
    countedTokens: memory.contextTokens,
  });
}

async function sectionsOf(
  { services, command }: CommandScene,
): Promise<readonly PromptSection[]> {
  const { channel } = placeOf(command);
  if (services.promptSections !== undefined) return await services.promptSections(channel, command);
  return [{ name: "instructions", text: await services.systemPrompt(channel, command) }];
}

function correction(counted: number, estimate: number): number {
  if (counted === 0 || estimate === 0) return 1;
  return Math.min(Math.max(counted / estimate, 1 / CORRECTION_MAX), CORRECTION_MAX);
}

function shareText(total: number, max: number | null): string {
  if (max === null) return ", without a limit";
  return ` of ${grouped(max)} that a request may take (${Math.round((total * 100) / max)}%)`;
}

function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

function sum(parts: readonly Part[]): number {
  return parts.reduce((total, { tokens }) => total + tokens, 0);
}
