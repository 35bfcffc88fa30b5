import assert from "node:assert/strict";
import { withFallback } from "../../providers/fallback.ts";
import { createFallbackProvider } from "../../providers/fallback_chain.ts";
import {
  chooseModels,
  type FallbackModel,
  modelsLine,
  sharedWindowTokens,
} from "../../providers/model_choice.ts";
import type { ProviderFailure } from "../../providers/provider.ts";
import { ModelServer, refuse, say } from "../simulators/model_server.ts";
import { askAll, errorOf, responseOf } from "../support/chat.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { providerError, type Script, ScriptedProvider } from "../support/scripted_provider.ts";

const ELIGIBLE: readonly ProviderFailure[] = [
  "provider_auth",
  "provider_quota",
  "provider_rate_limited",
  "provider_overloaded",
  "provider_timeout",
  "provider_connection",
  "provider_empty",
];
const INELIGIBLE: readonly ProviderFailure[] = [
  "provider_bad_request",
  "provider_content_filter",
  "provider_context_too_long",
  "provider_aborted",
];

/** Two models, the second of which stands in for the first. */
function pair(first: Script, second: Script, clock: ManualClock = new ManualClock()) {
  const one = new ScriptedProvider(first);
  const other = new ScriptedProvider(second);
  const candidates = [
    { provider: one, changes: {} },
    { provider: other, changes: { model: "other-model", temperature: 1 } },
  ] as const;
  return { one, other, provider: withFallback(candidates, { clock }) };
}

function failing(code: ProviderFailure): Script {
  return () => ({ error: providerError(code) });
}

Deno.test("withFallback leaves the others alone while the first one answers", async () => {
  const { other, provider } = pair(() => "mine", () => "yours");
  assert.equal(responseOf(await askAll(provider)).content, "mine");
  assert.equal(other.requests.length, 0);
});

Deno.test.each(ELIGIBLE)(
  "withFallback asks the next model after %s, with that model's settings",
  async (code) => {
    const { one, other, provider } = pair(
      () => ({ error: providerError(code) }),
      () => "yours",
    );
    const events = await askAll(provider);
    assert.deepEqual(events.map(({ type }) => type), ["text", "finished"]);
    assert.equal(responseOf(events).content, "yours");
    const [asked] = one.requests;
    assert.deepEqual(other.requests, [{ ...asked, model: "other-model", temperature: 1 }]);
  },
);

Deno.test.each(INELIGIBLE)("withFallback asks nobody else after %s", async (code) => {
  const { other, provider } = pair(
    () => ({ error: providerError(code) }),
    () => "yours",
  );
  assert.equal(errorOf(await askAll(provider)).code, code);
  assert.equal(other.requests.length, 0);
});

Deno.test("withFallback makes text void that a failed model has shown", async () => {
  const { provider } = pair(
    () => ({ text: "half", error: providerError("provider_timeout") }),
    () => "whole",
  );
  const events = await askAll(provider);
  assert.deepEqual(events.map((event) => event.type === "text" ? event.text : event.type), [
    "half",
    "restarted",
    "whole",
    "finished",
  ]);
});

Deno.test("withFallback says restarted once where the failed model has said it", async () => {
  const { provider } = pair(
    () => ({ voided: "half", error: providerError("provider_timeout") }),
    () => "whole",
  );
  const restarts = (await askAll(provider)).filter(({ type }) => type === "restarted");
  assert.equal(restarts.length, 1);
});

Deno.test("withFallback tells the last error when nobody answers", async () => {
  const { provider } = pair(failing("provider_overloaded"), failing("provider_quota"));
  const events = await askAll(provider);
  assert.deepEqual(events.map(({ type }) => type), ["failed"]);
  assert.equal(errorOf(events).code, "provider_quota");
});

Deno.test("withFallback asks nobody else after an abort", async () => {
  const abort = new AbortController();
  const { other, provider } = pair(() => {
    abort.abort();
    return { error: providerError("provider_overloaded") };
  }, () => "yours");
  assert.equal(errorOf(await askAll(provider, {}, abort.signal)).code, "provider_aborted");
  assert.equal(other.requests.length, 0);
});

Deno.test("withFallback passes over a model that failed three times, for a minute", async () => {
  const clock = new ManualClock();
  const { one, provider } = pair(failing("provider_overloaded"), () => "yours", clock);
  for (let count = 0; count < 5; count++) await askAll(provider);
  assert.equal(one.requests.length, 3);
  await clock.advance(60_000);
  await askAll(provider);
  await askAll(provider);
  assert.equal(one.requests.length, 4, "one call has looked again");
});

Deno.test("withFallback asks a model that failed often when the others fail as well", async () => {
  const { one, provider } = pair(
    (_request, index) => index < 3 ? { error: providerError("provider_overloaded") } : "mine",
    (_request, index) => index < 3 ? "yours" : { error: providerError("provider_overloaded") },
  );
  for (let count = 0; count < 3; count++) await askAll(provider);
  assert.equal(responseOf(await askAll(provider)).content, "mine");
  assert.equal(one.requests.length, 4);
});

const PLAIN: FallbackModel = {
  model: "spare-model",
  provider: "spare",
  maxTokens: null,
  contextWindowTokens: null,
  temperature: null,
  reasoningEffort: null,
};

Deno.test("createFallbackProvider asks another server under its own model's name", async () => {
  await using first = await ModelServer.start(() => refuse(402, { message: "no credit" }));
  await using spare = await ModelServer.start([say("from the spare")]);
  const models = chooseModels(
    { model: "test-model", provider: "first", fallbackModels: [{ ...PLAIN, maxTokens: 77 }] },
    { first: { apiBase: first.baseUrl }, spare: { apiBase: spare.baseUrl } },
  );
  assert.equal(models.state, "chosen", JSON.stringify(models));
  const provider = createFallbackProvider(models, {
    clock: new ManualClock(),
    random: { next: () => 0 },
    newId: () => "id",
    configPath: "/nowhere/config.json",
  });
  assert.equal(responseOf(await askAll(provider)).content, "from the spare");
  assert.equal(first.requests.length, 1);
  assert.equal(spare.requests[0]?.body.model, "spare-model");
  assert.equal(spare.requests[0]?.body["max_tokens"], 77);
});

Deno.test("chooseModels names the entry that nobody can answer for", () => {
  const known: FallbackModel = { ...PLAIN, model: "deepseek-chat", provider: "auto" };
  const models = chooseModels(
    { model: "deepseek-chat", provider: "auto", fallbackModels: [known, PLAIN] },
    { deepseek: { apiKey: "k" } },
  );
  assert.partialDeepStrictEqual(models, {
    state: "problem",
    key: "agents.defaults.fallbackModels[1]",
  });
});

Deno.test("modelsLine names all that may answer", () => {
  const models = chooseModels(
    { model: "deepseek-chat", provider: "auto", fallbackModels: [PLAIN] },
    { deepseek: { apiKey: "k" }, spare: { apiBase: "http://127.0.0.1:9/v1", displayName: "Box" } },
  );
  assert.equal(models.state, "chosen");
  assert.equal(
    modelsLine(models),
    "Model: deepseek-chat by DeepSeek at https://api.deepseek.com, else spare-model by Box",
  );
});

Deno.test.each<[string, number, readonly (readonly [number | null, number | null])[], number]>([
  ["the first one's, where the others say nothing", 65_536, [[null, null]], 65_536],
  ["the smallest", 65_536, [[null, 200_000], [null, 32_768]], 32_768],
  ["smaller where a longer answer takes of it", 65_536, [[8_192, 32_768]], 25_576],
  ["larger where the answer is shorter", 65_536, [[500, 32_768]], 33_268],
  ["without a limit, where the first has none", 0, [[null, null]], 0],
  ["that of the only one with a limit", 0, [[null, 8_000]], 8_000],
])("sharedWindowTokens is %s", (_, contextWindowTokens, others, expected) => {
  const fallbacks = others.map(([maxTokens, contextWindowTokens]) => ({
    maxTokens,
    contextWindowTokens,
  }));
  assert.equal(sharedWindowTokens({ maxTokens: 1_000, contextWindowTokens }, fallbacks), expected);
});
