import assert from "node:assert/strict";
import { costNanos, priceList } from "../../providers/prices.ts";

const SONNET = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 };

Deno.test.each([
  ["anthropic", "claude-sonnet-4-5"],
  ["anthropic", "anthropic/claude-sonnet-4-5-20250929"],
  ["openrouter", "anthropic/claude-sonnet-4.5"],
  ["openrouter", "openrouter/anthropic/Claude-Sonnet-4.5"],
])("PriceList knows what %s takes for %s", (provider, model) => {
  assert.deepEqual(priceList()(provider, model), SONNET);
});

Deno.test.each([
  ["openai", "gpt-5", 1.25],
  ["openai", "gpt-5-2025-08-07", 1.25],
  ["openai", "gpt-5-mini", 0.25],
  ["openai", "gpt-4.1-nano", 0.1],
  ["gemini", "gemini-2.5-flash-lite-preview-09-2025", 0.1],
  ["gemini", "gemini-2.5-flash-preview-05-20", 0.3],
  ["ollama", "gpt-oss:20b", 0],
  ["vllm", "whatever", 0],
])("PriceList tells models apart: %s %s", (provider, model, input) => {
  assert.equal(priceList()(provider, model)?.input, input);
});

Deno.test.each([
  ["openai", "gpt-6"],
  ["openai", "gpt-5-turbo"],
  ["openrouter", "deepseek/deepseek-chat:free"],
  ["openai_codex", "gpt-5-codex"],
  ["github_copilot", "gpt-4.1"],
  ["volcengine_coding_plan", "glm-4.7"],
  ["custom", "toString"],
])("PriceList has no price, not zero, for %s %s", (provider, model) => {
  assert.equal(priceList()(provider, model), null);
});

Deno.test("PriceList takes the configuration's word over its own", () => {
  const prices = priceList({
    "gpt-5": { input: 1, output: 2 },
    "openrouter/openai/gpt-5": { input: 3, output: 4, cachedInput: 0.5 },
    "my-model": { input: 0, output: 0 },
  });
  assert.deepEqual(prices("openai", "openai/GPT-5"), {
    input: 1,
    output: 2,
    cachedInput: 1,
    cacheWrite: 1,
  });
  assert.equal(prices("openrouter", "openai/gpt-5")?.cachedInput, 0.5);
  assert.equal(prices("custom", "my-model")?.input, 0);
});

Deno.test("costNanos prices what was cached, written and new apart", () => {
  const tokens = {
    inputTokens: 1_000_000,
    cachedTokens: 600_000,
    cacheWriteTokens: 100_000,
    outputTokens: 10_000,
  };
  assert.equal(costNanos(SONNET, tokens), Math.round((0.9 + 0.18 + 0.375 + 0.15) * 1e9));
});

Deno.test("costNanos never goes below zero where a vendor counts the cache apart", () => {
  const tokens = { inputTokens: 5, cachedTokens: 10, cacheWriteTokens: 0, outputTokens: 0 };
  assert.equal(costNanos(SONNET, tokens), 3_000);
});
