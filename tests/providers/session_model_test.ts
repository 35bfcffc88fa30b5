import assert from "node:assert/strict";
import type { ProviderSection } from "../../providers/choice.ts";
import { chooseNamedModel, type NamedModels } from "../../providers/session_model.ts";

const KEY = { apiKey: "k" };
const PLAIN = {
  provider: "auto",
  maxTokens: null,
  contextWindowTokens: null,
  temperature: null,
  reasoningEffort: null,
};
const FAST = { ...PLAIN, model: "deepseek/deepseek-chat", maxTokens: 2_000 };
const SPARE = { ...PLAIN, model: "deepseek/spare", contextWindowTokens: 32_000 };

type Providers = Readonly<Record<string, ProviderSection>>;

function choose(name: string, providers: Providers, provider: string = "auto") {
  const settings: NamedModels = {
    model: "openai/gpt-x",
    provider,
    fallbackModels: [SPARE],
    presets: { fast: FAST },
    reasoningEffort: "high",
  };
  return chooseNamedModel(name, settings, providers);
}

interface Case {
  readonly name: string;
  readonly providers: Providers;
  readonly provider?: string;
  readonly vendor: string;
}

const OWN = { apiBase: "http://127.0.0.1:1/v1" };

Deno.test.each<Case>([
  { name: "openai/gpt-y", providers: { openai: KEY, deepseek: KEY }, vendor: "openai" },
  { name: "deepseek-chat", providers: { openai: KEY, deepseek: KEY }, vendor: "deepseek" },
  { name: "fast", providers: { openai: KEY, deepseek: KEY }, vendor: "deepseek" },
  { name: "anthropic/claude-x", providers: { openrouter: KEY }, vendor: "openrouter" },
  {
    name: "anthropic/claude-x",
    providers: { openrouter: KEY, anthropic: KEY },
    provider: "openrouter",
    vendor: "anthropic",
  },
  {
    name: "anthropic/claude-x",
    providers: { openrouter: KEY, deepseek: KEY },
    provider: "openrouter",
    vendor: "openrouter",
  },
  { name: "large", providers: { acme: OWN, openai: KEY }, provider: "acme", vendor: "acme" },
  { name: "acme/large", providers: { acme: OWN, openai: KEY }, provider: "openai", vendor: "acme" },
  {
    name: "gpt-y",
    providers: { openai: KEY, deepseek: KEY },
    provider: "deepseek",
    vendor: "deepseek",
  },
])("chooseNamedModel gives $name to $vendor, with $provider configured", (wanted) => {
  const choice = choose(wanted.name, wanted.providers, wanted.provider);
  assert.ok(choice.state === "chosen", JSON.stringify(choice));
  assert.equal(choice.models.choice.vendor.name, wanted.vendor);
});

Deno.test.each<Omit<Case, "vendor"> & { readonly reason: RegExp }>([
  { name: "anthropic/claude-x", providers: { openai: KEY }, reason: /Anthropic, which has no key/ },
  {
    name: "anthropic/claude-x",
    providers: { openai: KEY },
    provider: "openai",
    reason: /Anthropic, which has no key/,
  },
  { name: "claude-x", providers: { openai: KEY }, reason: /Anthropic, which has no key/ },
  { name: "gpt-y", providers: {}, reason: /no provider is set up/ },
  { name: "two words", providers: { openai: KEY }, reason: /no name of a model/ },
  { name: "x".repeat(201), providers: { openai: KEY }, reason: /no name of a model/ },
])("chooseNamedModel refuses $name with its reason", ({ name, providers, provider, reason }) => {
  const choice = choose(name, providers, provider);
  assert.ok(choice.state === "refused", JSON.stringify(choice));
  assert.match(choice.reason, reason);
});

Deno.test("chooseNamedModel takes the settings of a preset, and lets others stand in", () => {
  const choice = choose("fast", { openai: KEY, deepseek: KEY });
  assert.ok(choice.state === "chosen");
  assert.deepEqual(choice.entry, FAST);
  assert.deepEqual(choice.models.fallbacks.map(({ fallback }) => fallback.model), [SPARE.model]);
});

Deno.test("chooseNamedModel asks a model that is only named as the configured one is asked", () => {
  const choice = choose("gpt-y", { openai: KEY });
  assert.ok(choice.state === "chosen");
  assert.deepEqual(choice.entry, { ...PLAIN, model: "gpt-y", reasoningEffort: "high" });
});

Deno.test("chooseNamedModel lets no model stand in for itself", () => {
  const choice = choose(SPARE.model, { openai: KEY, deepseek: KEY });
  assert.ok(choice.state === "chosen");
  assert.deepEqual(choice.entry, SPARE);
  assert.deepEqual(choice.models.fallbacks, []);
});
