/**
 * What the keys of sections `agents` and `modelPresets`, and `owners`, are for.
 * @module
 */

import type { SettingTexts } from "./setting_text.ts";

/** By the way from the root. */
export const agentsTexts: SettingTexts = {
  "owners":
    "People, each as `channel:sender`, who receive alarms, answer approvals and alone may use the commands of owners. Without any, everyone who may write may use them.",
  "agents": "How the assistant thinks, and within which limits.",
  "agents.defaults": "What holds for every turn.",
  "agents.defaults.workspace": {
    takes: "path",
    text:
      "The folder that the assistant lives and works in. The default follows `TROUPE_HOME`; a relative path starts from the folder of this file.",
  },
  "agents.defaults.model":
    "The model, as its provider calls it. It may begin with `provider/`: `anthropic/claude-opus-4-5`.",
  "agents.defaults.provider":
    "Who is asked: a provider's name in any spelling, the name of one of your own in `providers`, or `auto` for the one that fits the model.",
  "agents.defaults.maxTokens":
    "Tokens of one answer, at most. As many are kept free in the context window.",
  "agents.defaults.contextWindowTokens":
    "Tokens of a request and its answer together: the model's context window. 0 turns this budget off.",
  "agents.defaults.contextBlockLimit":
    "Tokens of a request, in place of what is computed from the context window. null or 0: computed.",
  "agents.defaults.temperature":
    "How freely the model words things: 0 is always the likeliest word.",
  "agents.defaults.maxToolIterations": "Model calls of one turn, at most; then it has to answer.",
  "agents.defaults.maxToolResultChars":
    "Characters of a tool's result that go to the model. A longer one goes to a file, and a preview to the model.",
  "agents.defaults.providerRetryMode":
    "How long a failing provider is asked again: `standard` three times, `persistent` until the same error came ten times.",
  "agents.defaults.fallbackModels": {
    takes: "list of text or objects",
    text:
      "Models that are asked in turn when `model` gives no answer: names, or objects with the keys below ([providers](providers.md)).",
  },
  "agents.defaults.fallbackModels[]": "A model: its name, or an object with a `model`.",
  "agents.defaults.fallbackModels[].model": "Its name, looked up as `agents.defaults.model` is.",
  "agents.defaults.fallbackModels[].provider": "As `agents.defaults.provider`.",
  "agents.defaults.fallbackModels[].maxTokens":
    "Tokens of one answer, at most. null: as for the first model.",
  "agents.defaults.fallbackModels[].contextWindowTokens":
    "Tokens of a request and its answer together. null: as for the first model.",
  "agents.defaults.fallbackModels[].temperature":
    "How freely it words things. null: as for the first model.",
  "agents.defaults.fallbackModels[].reasoningEffort":
    "How much it thinks. null leaves it to the model.",
  "agents.defaults.reasoningEffort":
    "How much the model thinks before it answers: `low`, `medium`, `high` and what else it knows. null leaves it to the model.",
  "agents.defaults.timezone": {
    takes: "IANA time zone",
    text: "The time that the model is told, and that schedules and daily budgets follow.",
  },
  "agents.defaults.unifiedSession":
    "All channels share one conversation, instead of one for each chat.",
  "agents.defaults.memoryScope":
    "Whose memory is whose: one for all, one for each person, or one for each chat ([memory](memory.md)).",
  "agents.defaults.disabledSkills": "Folder names of [skills](skills.md) to hide.",
  "agents.defaults.idleCompactAfterMinutes":
    "Minutes after which an idle conversation is compacted; 0: never. Also written `sessionTtlMinutes`.",
  "agents.defaults.maxConcurrentRequests":
    "Turns that run at once over all conversations; others wait in line. 0 or less: no limit.",
  "agents.defaults.maxConcurrentSubagents":
    "[Subagents](tools.md#subagents) that work at once over all conversations; others wait for their place.",
  "agents.defaults.dream":
    "Dream, the job that turns conversations into long-term memory ([memory](memory.md)).",
  "agents.defaults.dream.intervalH": "Hours between two runs.",
  "agents.defaults.dream.cron": {
    takes: "cron expression or null",
    text:
      "The older form of the schedule, in `agents.defaults.timezone`; it replaces the interval.",
  },
  "agents.defaults.dream.modelOverride":
    "A model for Dream alone; null: `agents.defaults.model`. Also written `model`.",
  "agents.defaults.dream.maxBatchSize": "Entries of the history that one run looks at.",
  "agents.defaults.dream.maxIterations": "Rounds of tools in one run, at most.",
  "agents.defaults.dream.annotateLineAges":
    "Tells the model how old each line of the memory is, so that it forgets what is stale.",
  "agents.goals": "What a [goal](goals.md) may use at most, and has where nobody says otherwise.",
  "agents.goals.maxTurns": "Turns that are spent on it.",
  "agents.goals.maxTokens":
    "Tokens, in and out, of its conversation while it is worked on. null: no limit but the budgets.",
  "agents.goals.maxMinutes": "Minutes from its beginning.",
  "agents.subagents": "What holds for each [subagent](tools.md#subagents).",
  "agents.subagents.maxIterations": "Rounds of tools, at most.",
  "agents.subagents.timeoutS": "Seconds from its first step to its result, at most.",
  "agents.subagents.maxTokens":
    "Tokens, in and out, that one may use; they count in the budgets of its conversation and of the day anyhow. null: no limit of its own.",
  "agents.subagents.sendProgress": "Shows its steps in the chat, where the channel shows progress.",
  "agents.budgets": "What may be used before turns have to wait.",
  "agents.budgets.perDay":
    "Of all sessions together, in a day of `agents.defaults.timezone`; turns then wait for the next day.",
  "agents.budgets.perDay.tokens": "Tokens, in and out, a day. null: no limit.",
  "agents.budgets.perDay.usd": "US dollars a day, as far as prices are known. null: no limit.",
  "agents.budgets.perSession": "Of one session; `/new` begins anew.",
  "agents.budgets.perSession.tokens": "Tokens, in and out, of a session. null: no limit.",
  "agents.budgets.perSession.usd":
    "US dollars of a session, as far as prices are known. null: no limit.",
  "agents.prices":
    "What models cost, by `model` or `provider/model`; goes before the prices that are built in.",
  "agents.prices.<name>": "What a model costs, in US dollars for a million tokens.",
  "agents.prices.<name>.input": "US dollars for a million tokens that the model reads.",
  "agents.prices.<name>.output": "US dollars for a million tokens that the model writes.",
  "agents.prices.<name>.cachedInput":
    "US dollars for a million tokens that the vendor had in its cache. null: as `input`.",
  "agents.prices.<name>.cacheWrite":
    "US dollars for a million tokens that the vendor puts into its cache. null: as `input`.",
  "modelPresets":
    "Models under names of your own, which `/model <name>` chooses for a session; `default` is the model of `agents.defaults`.",
  "modelPresets.<name>": "A model: its name, or an object with a `model`.",
  "modelPresets.<name>.model":
    "Its name, looked up as `agents.defaults.model` is. A preset may be written as this text alone.",
  "modelPresets.<name>.provider": "As `agents.defaults.provider`.",
  "modelPresets.<name>.maxTokens": "Tokens of one answer, at most. null: as `agents.defaults`.",
  "modelPresets.<name>.contextWindowTokens":
    "Tokens of a request and its answer together. null: as `agents.defaults`.",
  "modelPresets.<name>.temperature": "How freely it words things. null: as `agents.defaults`.",
  "modelPresets.<name>.reasoningEffort": "How much it thinks. null leaves it to the model.",
};
