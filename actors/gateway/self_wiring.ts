/**
 * Subagents, and what the model may see of itself, from the configuration.
 * @module
 */

import type { LoadedConfig } from "../config/load_config.ts";
import type { JsonObject } from "../kernel/json.ts";
import { promptFacts } from "../session/adapters/prompt_files.ts";
import type { SubagentRules } from "../session/ports.ts";
import { subagentPrompt } from "../session/subagents/subagent_prompt.ts";
import type { SkillTextsSource } from "../session/prompt.ts";
import type { GoalBudget } from "../session/goal/goal.ts";
import { goalTool } from "../tools/goal.ts";
import { myTool } from "../tools/my.ts";
import { spawnTool } from "../tools/spawn.ts";
import type { Tool } from "../tools/tool.ts";

/** Whoever waits for a subagent also waits until others made place for it. */
const WAITS_PER_TIMEOUT = 2;

/** `spawn`, and `my` where it is wanted. */
export function selfTools({ config }: LoadedConfig): readonly Tool[] {
  const { my } = config.tools;
  const waitMs = WAITS_PER_TIMEOUT * config.agents.subagents.timeoutS * 1_000;
  return [spawnTool(waitMs), goalTool, ...(my.enable ? [myTool(my.allowSet)] : [])];
}

/** What holds for each subagent. */
export function subagentRules(
  { config }: LoadedConfig,
  workspace: string,
  skills: SkillTextsSource,
): SubagentRules {
  const { maxIterations, timeoutS, maxTokens, sendProgress } = config.agents.subagents;
  const facts = promptFacts(workspace);
  return {
    iterationsMax: maxIterations,
    timeoutMs: timeoutS * 1_000,
    tokensMax: maxTokens,
    showsProgress: sendProgress,
    systemPrompt: async () => subagentPrompt({ ...facts, skills: (await skills.texts()).index }),
  };
}

/** What the model may see of the configuration: no addresses, no keys. */
export function ownFacts({ config }: LoadedConfig): JsonObject {
  const { agents: { defaults }, tools: { web, exec } } = config;
  return {
    provider_retry_mode: defaults.providerRetryMode,
    web_config: {
      enable: web.enable,
      search: { provider: web.search.provider, max_results: web.search.maxResults },
    },
    exec_config: { enable: exec.enable, timeout: exec.timeout, sandbox: exec.sandbox },
  };
}

/** What goals may use. */
export function goalBudget({ config: { agents: { goals } } }: LoadedConfig): GoalBudget {
  const { maxTurns: turns, maxTokens: tokens, maxMinutes } = goals;
  return { turns, tokens, timeMs: maxMinutes * 60_000 };
}
