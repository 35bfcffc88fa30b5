import assert from "node:assert/strict";
import { modelOffers, settingsFor } from "../../../../channels/cli/onboarding/model_offers.ts";
import { keysInEnvironment } from "../../../../providers/key_variables.ts";
import type { LocalServer } from "../../../../providers/local_servers.ts";

const OLLAMA: LocalServer = {
  name: "ollama",
  displayName: "Ollama",
  baseUrl: "http://127.0.0.1:11434/v1",
  models: ["qwen3:8b", "b", "c", "d"],
};

Deno.test("Local servers are offered before vendors whose key is in the environment", () => {
  const keys = keysInEnvironment({ DEEPSEEK_API_KEY: "sk-1", OPENROUTER_API_KEY: "sk-or-1" });
  assert.deepEqual(modelOffers([OLLAMA], keys).map(({ label }) => label), [
    "Ollama on this machine (qwen3:8b, b, c, …)",
    "OpenRouter, with the key in OPENROUTER_API_KEY",
    "DeepSeek, with the key in DEEPSEEK_API_KEY",
  ]);
});

Deno.test("A key from the environment stays there: the file names the variable", () => {
  const [offer] = modelOffers([], keysInEnvironment({ ZAI_API_KEY: "secret" }));
  assert.ok(offer !== undefined);
  assert.deepEqual(settingsFor(offer.answer, "glm-5"), [
    { path: ["agents", "defaults", "provider"], value: "zhipu" },
    { path: ["agents", "defaults", "model"], value: "glm-5" },
    { path: ["providers", "zhipu", "apiKey"], value: "${ZAI_API_KEY}" },
  ]);
});

Deno.test.each([
  ["a blank key", { OPENAI_API_KEY: " " }],
  ["a vendor with an address of one's own", { AZURE_OPENAI_API_KEY: "k", CUSTOM_API_KEY: "k" }],
  ["a server of one's own machine", { OLLAMA_API_KEY: "k" }],
  ["a vendor that wants a sign-in", { GITHUB_COPILOT_API_KEY: "k" }],
])("Nothing is offered for %s", (_what, env) => {
  assert.deepEqual(keysInEnvironment(env), []);
});
