import assert from "node:assert/strict";
import { NO_USAGE, type UsageCounts } from "../../../actors/journal/usage.ts";
import { type StatusFacts, statusText } from "../../../actors/session/status_text.ts";

/** What a turn used. */
function used(inputTokens: number, outputTokens: number, cachedTokens = 0): UsageCounts {
  return { ...NO_USAGE, calls: 1, inputTokens, outputTokens, cachedTokens };
}

const FACTS: StatusFacts = {
  version: "0.1.0",
  model: "gpt-x",
  lastUsage: used(2_000, 300, 1_200),
  contextTokens: 20_500,
  contextWindowTokens: 65_536,
  tokensMax: 0,
  messageCount: 3,
  uptimeMs: 125_000,
  activeTasks: 2,
};

Deno.test("statusText tells everything, in order", () => {
  assert.equal(
    statusText(FACTS),
    [
      "Version: 0.1.0",
      "Model: gpt-x",
      "Tokens: 2000 in / 300 out (60% cached)",
      "Context: 20k/65k (31% of input budget)",
      "Session: 3 messages",
      "Uptime: 2m 5s",
      "Tasks: 2 active",
    ].join("\n"),
  );
});

Deno.test.each<[string, Partial<StatusFacts>, string]>([
  [
    "no cached tokens",
    { lastUsage: used(10, 2) },
    "Tokens: 10 in / 2 out\n",
  ],
  ["a guess", {
    lastUsage: { ...used(10, 2), estimatedCalls: 1 },
  }, "Tokens: 10 in / 2 out (estimated)\n"],
  ["everything cached", {
    lastUsage: used(1_000, 0, 1_000),
  }, "(100% cached)"],
  ["no call yet", { lastUsage: NO_USAGE, contextTokens: 0 }, "Context: 0/65k (0%"],
  ["no estimate", {
    contextTokens: 0,
    lastUsage: used(1_200, 0),
  }, "Context: 1k/65k (1%"],
  ["more than the budget", {
    contextTokens: 120_000,
    contextWindowTokens: 128_000,
    tokensMax: 8_192,
  }, "120k/128k (101%"],
  ["no room at all", { contextTokens: 50_000, contextWindowTokens: 1_000 }, "(999%"],
  ["no window", { contextTokens: 0, contextWindowTokens: 0, lastUsage: NO_USAGE }, "0/n/a"],
  ["less than a thousand", { contextTokens: 999 }, "Context: 999/65k"],
  ["one message", { messageCount: 1 }, "Session: 1 message\n"],
  ["hours", { uptimeMs: 3_725_000 }, "Uptime: 1h 2m"],
  ["seconds", { uptimeMs: 59_999 }, "Uptime: 0m 59s"],
  [
    "a search service that tells",
    { searchUsage: "tavily: 1/2 used" },
    "\nSearch: tavily: 1/2 used",
  ],
])("statusText is right with %s", (_name, change, expected) => {
  assert.ok(statusText({ ...FACTS, ...change }).includes(expected));
});
