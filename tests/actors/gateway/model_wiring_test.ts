import assert from "node:assert/strict";
import { wireModels } from "../../../actors/gateway/model_wiring.ts";
import { systemWorld } from "../../../actors/gateway/adapters/system_world.ts";
import type { ChatEvent, ChatRequest, Provider } from "../../../providers/provider.ts";
import { ScriptedProvider } from "../../support/scripted_provider.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { until } from "../../support/until.ts";
import { loadSettings } from "../config/_load.ts";

const REQUEST: ChatRequest = {
  ...{ model: "m", messages: [], tools: [], tokensMax: 100, temperature: 0 },
  ...{ reasoningEffort: null, conversationId: "c" },
};

const SPARE = { model: "deepseek/spare", contextWindowTokens: 20_000 };

async function wired(defaults: object = {}) {
  const loaded = await loadSettings({
    agents: {
      defaults: {
        model: "openai/gpt-x",
        maxTokens: 4_000,
        contextWindowTokens: 100_000,
        reasoningEffort: "high",
        ...defaults,
      },
    },
    modelPresets: { fast: { model: "deepseek/deepseek-chat", maxTokens: 2_000 } },
    providers: { openai: { apiKey: "k1" }, deepseek: { apiKey: "k2" } },
  });
  return wireModels({ loaded, world: systemWorld() });
}

Deno.test("wireModels gives the configured model to sessions that chose none", async () => {
  const { models, settings, line } = await wired();
  assert.equal(models.standard.settings, settings);
  assert.equal(line, `Model: ${models.standard.description}`);
  assert.deepEqual(settings, {
    model: "openai/gpt-x",
    temperature: 0.1,
    tokensMax: 4_000,
    contextWindowTokens: 100_000,
    reasoningEffort: "high",
  });
});

Deno.test("wireModels finds presets, models that stand in, and others", async () => {
  const { models } = await wired({ fallbackModels: [SPARE] });
  assert.deepEqual(models.names, ["fast (deepseek/deepseek-chat)", SPARE.model]);
  const settingsOf = (name: string) => {
    const found = models.find(name);
    assert.ok(found.state === "found", JSON.stringify(found));
    return found.model.settings;
  };
  assert.deepEqual(settingsOf("fast"), {
    model: "deepseek/deepseek-chat",
    temperature: 0.1,
    tokensMax: 2_000,
    contextWindowTokens: 20_000, // of the one that stands in
    reasoningEffort: null,
  });
  assert.equal(settingsOf(SPARE.model).contextWindowTokens, 20_000);
  assert.equal(settingsOf("openai/gpt-y").reasoningEffort, "high");
});

Deno.test("wireModels keeps what it found, and says why it finds nothing", async () => {
  const { models } = await wired();
  assert.equal(models.find("fast"), models.find("fast"));
  const found = models.find("anthropic/claude-x");
  assert.ok(found.state === "refused");
  assert.match(found.reason, /Anthropic, which has no key/);
});

Deno.test("wireModels forgets names that were not asked for lately", async () => {
  const { models } = await wired();
  const first = models.find("openai/gpt-0");
  for (let n = 1; n <= 40; n++) models.find(`openai/gpt-${n}`);
  assert.notEqual(models.find("openai/gpt-0"), first);
  assert.equal(models.find("openai/gpt-40"), models.find("openai/gpt-40"));
});

Deno.test.each<[string, object]>([
  [
    'Cannot use "providers.custom.apiBase": no address is set, such as http://127.0.0.1:8000/v1',
    { provider: "custom" },
  ],
  [
    'Cannot use "agents.defaults.fallbackModels[0]": ' +
    'Cannot use "providers.groq.apiKey": no key is set',
    { fallbackModels: [{ model: "m", provider: "groq" }] },
  ],
])("wireModels says what to mend, and where: %s", async (problem, defaults) => {
  await assert.rejects(wired(defaults), ({ message }: Error) => {
    assert.match(message, /; mend it in "[^"]+"$/);
    assert.equal(message.replace(/; mend it in .*$/, ""), problem);
    return true;
  });
});

Deno.test("wireModels asks a program's own provider for the models under its name", async () => {
  const asked: string[] = [];
  const own = (name: string): Provider => ({
    name,
    async *chat({ model }): AsyncGenerator<ChatEvent> {
      asked.push(`${name} ${model}`);
      yield* new ScriptedProvider(["hi"]).chat(REQUEST, new AbortController().signal);
    },
  });
  const loaded = await loadSettings({
    agents: { defaults: { model: "mine/big" } },
    modelPresets: { fast: { model: "yours/small/1", maxTokens: 2_000 } },
    providers: { deepseek: { apiKey: "k2" } },
  });
  const providers = [own("mine"), own("yours")];
  const { models, line } = wireModels({ loaded, world: systemWorld(), providers });
  assert.equal(line, "Model: mine/big by mine");
  const found = [models.find("fast"), models.find("mine/other"), models.find("deepseek-chat")];
  const chosen = [models.standard, ...found.flatMap((one) => "model" in one ? [one.model] : [])];
  const names = chosen.map(({ provider, settings }) => `${provider.name} ${settings.model}`);
  assert.deepEqual(names, [
    "mine mine/big",
    "yours yours/small/1",
    "mine mine/other",
    "deepseek deepseek-chat",
  ]);
  assert.equal(chosen[1]?.settings.tokensMax, 2_000);
  for (const { provider, settings: { model } } of chosen.slice(0, 3)) {
    await Array.fromAsync(provider.chat({ ...REQUEST, model }, new AbortController().signal));
  }
  assert.deepEqual(asked, ["mine big", "yours small/1", "mine other"]);
});

Deno.test("wireModels takes what a program's own provider throws for a failed call", async () => {
  const own: Provider = {
    name: "mine",
    chat: () => {
      throw new TypeError("no route, key sk-live-0123456789abcdefghijklmnop");
    },
  };
  const loaded = await loadSettings({ agents: { defaults: { model: "mine/big" } } });
  const clock = new ManualClock();
  const { provider } = wireModels({
    ...{ loaded, world: { ...systemWorld(), clock }, provider: own },
  });
  const gone = new AbortController();
  const asking = Array.fromAsync(provider.chat(REQUEST, gone.signal));
  await until(() => clock.pending > 0); // it is tried again
  await clock.advance(600_000);
  await clock.advance(600_000);
  await clock.advance(600_000);
  const last = (await asking).at(-1);
  assert.ok(last?.type === "failed");
  assert.equal(last.error.code, "provider_connection");
  assert.match(last.error.message, /^Cannot ask "mine": no route, key (?!sk-live)/);
});
