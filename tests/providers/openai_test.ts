import assert from "node:assert/strict";
import { chooseProvider } from "../../providers/choice.ts";
import { lacksResponses, OpenAiProvider } from "../../providers/openai.ts";
import type { Provider } from "../../providers/provider.ts";
import { ResponsesBreaker } from "../../providers/responses/breaker.ts";
import { type ModelReply, ModelServer, refuse, say } from "../simulators/model_server.ts";
import { askAll, errorOf, responseOf } from "../support/chat.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { backendOptions, connect } from "../support/providers.ts";

/** OpenAI itself, whose requests go to the simulated model. */
function official(server: ModelServer): { readonly provider: Provider } & Disposable {
  const choice = chooseProvider({
    model: "m",
    provider: "openai",
    providers: { openai: { apiKey: "k" } },
  });
  assert.equal(choice.state, "chosen");
  const original = globalThis.fetch;
  globalThis.fetch = (url, init) =>
    original(String(url).replace("https://api.openai.com/v1", server.baseUrl), init);
  return {
    provider: new OpenAiProvider(choice, backendOptions(new ManualClock())),
    [Symbol.dispose]: () => void (globalThis.fetch = original),
  };
}

const RESPONSES = "/v1/responses";
const COMPLETIONS = "/v1/chat/completions";
const NO_API = refuse(404, { message: "Responses endpoint not supported" });

Deno.test.each<[string, string | null, string]>([
  ["gpt-5-chat", null, RESPONSES],
  ["openai/gpt-5.1", null, RESPONSES],
  ["o3-mini", null, RESPONSES],
  ["gpt-4o", "medium", RESPONSES],
  ["gpt-4o", null, COMPLETIONS],
  ["gpt-4o", "none", COMPLETIONS],
])(
  "OpenAiProvider asks %s at effort %s at %s (OAI-01, 02, 03, 05)",
  async (model, effort, path) => {
    await using server = await ModelServer.start([say("a")]);
    using openai = official(server);
    responseOf(await askAll(openai.provider, { model, reasoningEffort: effort }));
    const [request] = server.requests;
    assert.equal(request?.path, path);
    assert.equal(request?.body.model, model.replace("openai/", ""));
    assert.equal("input" in request.body, path === RESPONSES);
  },
);

Deno.test.each([["openrouter", "openai/gpt-5"], ["openai", "gpt-5"]])(
  "%s elsewhere is asked for %s by chat completions (OAI-04)",
  async (vendor, model) => {
    await using server = await ModelServer.start([say("a")]);
    responseOf(await askAll(connect({ baseUrl: server.baseUrl, vendor }), { model }));
    assert.equal(server.requests[0]?.path, COMPLETIONS);
  },
);

Deno.test.each<[string, ModelReply]>([
  ["404 (OAI-06)", NO_API],
  [
    "an unknown parameter (OAI-07)",
    refuse(400, { message: "Unknown parameter: max_output_tokens" }),
  ],
])("OpenAiProvider turns to chat completions on %s", async (_, refusal) => {
  await using server = await ModelServer.start([refusal, say("a")]);
  using openai = official(server);
  responseOf(await askAll(openai.provider, { model: "gpt-5-chat" }));
  assert.deepEqual(server.requests.map(({ path }) => path), [RESPONSES, COMPLETIONS]);
});

Deno.test.each<[string, ModelReply]>([
  ["429 (OAI-08)", refuse(429, { message: "slow down" })],
  ["a value that the model does not take", refuse(400, { message: "Unsupported value: 'tools'" })],
  [
    "a model that is not there",
    refuse(404, { code: "model_not_found", message: "The model is not supported in Responses" }),
  ],
])("OpenAiProvider does not turn to chat completions on %s", async (_, refusal) => {
  await using server = await ModelServer.start([refusal]);
  using openai = official(server);
  errorOf(await askAll(openai.provider, { model: "gpt-5-chat" }));
  assert.equal(server.requests.length, 1);
});

Deno.test("OpenAiProvider stops asking where the API is missing, and an answer forgives", async () => {
  await using server = await ModelServer.start(({ path, index }) =>
    path === RESPONSES && index !== 4 ? NO_API : say("a")
  );
  using openai = official(server);
  // Two failures, a success that clears them, then three failures in a row.
  for (let call = 0; call < 8; call++) {
    responseOf(await askAll(openai.provider, { model: "gpt-5-chat" }));
  }
  const asked = server.requests.filter(({ path }) => path === RESPONSES).map(({ index }) => index);
  assert.deepEqual(asked, [0, 2, 4, 5, 7, 9]);
});

Deno.test("ResponsesBreaker opens after three failures, for that model and effort only (OAI-09)", () => {
  const breaker = new ResponsesBreaker(new ManualClock());
  assert.equal(breaker.allows("gpt-5", "high"), true);
  for (const expected of [true, true, false]) {
    breaker.failed("gpt-5", "high");
    assert.equal(breaker.allows("GPT-5", "High"), expected);
  }
  assert.equal(breaker.allows("gpt-5", null), true);
  assert.equal(breaker.allows("o3", "high"), true);
  breaker.succeeded("gpt-5", "HIGH");
  assert.equal(breaker.allows("gpt-5", "high"), true);
});

Deno.test("ResponsesBreaker lets one call through after five minutes", async () => {
  const clock = new ManualClock();
  const breaker = new ResponsesBreaker(clock);
  for (let call = 0; call < 3; call++) breaker.failed("m", null);
  await clock.advance(299_999);
  assert.equal(breaker.allows("m", null), false);
  await clock.advance(1);
  assert.equal(breaker.allows("m", null), true);
  assert.equal(breaker.allows("m", null), false, "one probe at a time");
  breaker.failed("m", null);
  await clock.advance(299_999);
  assert.equal(breaker.allows("m", null), false);
  await clock.advance(1);
  assert.equal(breaker.allows("m", null), true);
  breaker.succeeded("m", null);
  assert.equal(breaker.allows("m", null), true);
});

Deno.test.each<[boolean, number, string]>([
  [true, 404, "Responses endpoint not supported"],
  [true, 404, "The Responses API is not available in your region"],
  [true, 422, "Unrecognized request argument supplied: instructions"],
  [false, 400, "Unsupported value: 'temperature' does not support 0.1 with this model."],
  [false, 500, "Responses endpoint not supported"],
  [false, 404, "The model `x` does not exist"],
])("lacksResponses says %s to %s %s", (expected, status, text) => {
  assert.equal(lacksResponses({ status, text, tokens: [] }), expected);
});
