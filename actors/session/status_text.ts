/**
 * The block that answers `/status`.
 * @module
 */

import type { UsageCounts } from "../journal/usage.ts";
import type { SubagentPhase } from "./subagents/subagent_status.ts";
import { counted } from "./wording.ts";

/** What `/status` tells. Token counts are tokens. */
export interface StatusFacts {
  readonly version: string;
  readonly model: string;
  /** Of this session's last turn. */
  readonly lastUsage: UsageCounts;
  /** Estimate of the session's prompt; 0 when it is not known. */
  readonly contextTokens: number;
  readonly contextWindowTokens: number;
  /** Longest answer. */
  readonly tokensMax: number;
  /** Messages that are replayed. */
  readonly messageCount: number;
  readonly uptimeMs: number;
  /** Turns and subagents that run for this session. */
  readonly activeTasks: number;
  /** @default none */
  readonly subagents?: readonly { readonly label: string; readonly phase: SubagentPhase }[];
  /** The goal that is under way. @default none is */
  readonly goal?: string | undefined;
  /** What is left of the search service's allowance; undefined where it tells nothing. */
  readonly searchUsage?: string | undefined;
}

/** Kept free for what estimates get wrong. */
const SAFETY_TOKENS = 1_024;
const PERCENT_MAX = 999;

/** The block that answers `/status`. */
export function statusText(facts: StatusFacts): string {
  return [
    `Version: ${facts.version}`,
    `Model: ${facts.model}`,
    `Tokens: ${usageText(facts.lastUsage)}`,
    `Context: ${contextText(facts)}`,
    `Session: ${counted(facts.messageCount, "message")}`,
    `Uptime: ${uptimeText(facts.uptimeMs)}`,
    `Tasks: ${facts.activeTasks} active`,
    ...(facts.subagents ?? []).map(({ label, phase }) =>
      `- subagent ${label} (${phase.replace("_", " ")})`
    ),
    ...(facts.goal === undefined ? [] : [facts.goal]),
    ...(facts.searchUsage === undefined ? [] : [`Search: ${facts.searchUsage}`]),
  ].join("\n");
}

function usageText(usage: UsageCounts): string {
  const { inputTokens, outputTokens, cachedTokens, estimatedCalls } = usage;
  const cached = cachedTokens > 0 && inputTokens > 0
    ? ` (${Math.floor((cachedTokens * 100) / inputTokens)}% cached)`
    : "";
  const guess = estimatedCalls > 0 ? " (estimated)" : "";
  return `${inputTokens} in / ${outputTokens} out${cached}${guess}`;
}

function contextText(facts: StatusFacts): string {
  const used = facts.contextTokens > 0 ? facts.contextTokens : facts.lastUsage.inputTokens;
  const total = facts.contextWindowTokens;
  const budget = Math.max(total - facts.tokensMax - SAFETY_TOKENS, 1);
  const percent = Math.min(Math.floor((used * 100) / budget), PERCENT_MAX);
  const totalText = total > 0 ? `${Math.floor(total / 1_000)}k` : "n/a";
  return `${thousands(used)}/${totalText} (${percent}% of input budget)`;
}

function thousands(count: number): string {
  return count >= 1_000 ? `${Math.floor(count / 1_000)}k` : String(count);
}

function uptimeText(uptimeMs: number): string {
  const seconds = Math.floor(uptimeMs / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return hours > 0 ? `${hours}h ${minutes % 60}m` : `${minutes}m ${seconds % 60}s`;
}
