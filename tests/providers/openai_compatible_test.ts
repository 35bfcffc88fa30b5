import assert from "node:assert/strict";
import fc from "fast-check";
import { chooseProvider, type ProviderSection } from "../../providers/choice.ts";
import { OpenAiCompatibleProvider } from "../../providers/openai_compatible.ts";
import type { ChatEvent, ProviderFailure } from "../../providers/provider.ts";
import { toCamelCase } from "../../providers/vendors.ts";
import { askAll, chatRequest, errorOf, responseOf } from "../support/chat.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { until } from "../support/until.ts";
import {
  callTool,
  callTools,
  type ModelReply,
  ModelServer,
  refuse,
  say,
  type StreamStep,
} from "../simulators/model_server.ts";
import { renderStep } from "../simulators/model/rendering.ts";

const STALL_MS = 90_000;

interface Bench {
  readonly section?: ProviderSection;
  readonly vendor?: string;
  readonly clock?: ManualClock;
}

function connect(
  server: { readonly baseUrl: string },
  { section = {}, vendor = "custom", clock = new ManualClock() }: Bench = {},
): OpenAiCompatibleProvider {
  const choice = chooseProvider({
    model: "test-model",
    provider: vendor,
    providers: {
      [toCamelCase(vendor)]: { apiKey: "the-key", apiBase: server.baseUrl, ...section },
    },
  });
  assert.equal(choice.state, "chosen", JSON.stringify(choice));
  let ids = 0;
  return new OpenAiCompatibleProvider(choice, {
    clock,
    newId: () => `id${++ids}`,
    stallMs: STALL_MS,
  });
}

async function answer(reply: ModelReply, bench: Bench = {}): Promise<readonly ChatEvent[]> {
  await using server = await ModelServer.start([reply]);
  return await askAll(connect(server, bench));
}

const TEXT: StreamStep = { type: "text", text: "half" };

Deno.test("OpenAiCompatibleProvider gives text as it comes, then the whole", async () => {
  assert.deepEqual(await answer(say("Hel", "lo")), [
    { type: "text", text: "Hel" },
    { type: "text", text: "lo" },
    {
      type: "finished",
      response: {
        content: "Hello",
        calls: [],
        finishReason: "stop",
        usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
        reasoning: null,
        thinkingBlocks: [],
      },
    },
  ]);
});

Deno.test("OpenAiCompatibleProvider gives reasoning apart from text", async () => {
  const events = await answer({
    steps: [{ type: "reasoning", text: "hm" }, { type: "text", text: "a" }],
  });
  assert.deepEqual(events[0], { type: "reasoning", text: "hm" });
  assert.equal(responseOf(events).reasoning, "hm");
});

Deno.test("OpenAiCompatibleProvider gives the answer that a vendor hid in its reasoning", async () => {
  const reply: ModelReply = { steps: [{ type: "reasoning", field: "reasoning", text: "a" }] };
  const events = await answer(reply, { vendor: "stepfun" });
  assert.deepEqual(events[1], { type: "text", text: "a" });
  assert.equal(responseOf(events).content, "a");
  assert.equal(responseOf(await answer(reply)).content, null);
});

Deno.test("OpenAiCompatibleProvider gives the calls of the model", async () => {
  const { calls, finishReason } = responseOf(
    await answer(callTools([
      { name: "read", parameters: { path: "é" }, id: "r1" },
      { name: "pwd", parameters: {}, id: "p1" },
    ])),
  );
  assert.equal(finishReason, "tool_calls");
  assert.deepEqual(calls, [{
    call: { id: "r1", type: "function", function: { name: "read", arguments: '{"path":"é"}' } },
    parsed: { state: "ok", value: { path: "é" } },
  }, {
    call: { id: "p1", type: "function", function: { name: "pwd", arguments: "{}" } },
    parsed: { state: "ok", value: {} },
  }]);
});

Deno.test("OpenAiCompatibleProvider reads over comments and keep-alives", async () => {
  const events = await answer({
    steps: [
      { type: "comment", text: "OPENROUTER PROCESSING" },
      { type: "raw", text: ":\r\n\r\n" },
      TEXT,
      { type: "raw", text: 'data:{"choices":[{"delta":{"content":"!"}}]}\r\n\r\n' },
    ],
  });
  assert.equal(responseOf(events).content, "half!");
});

Deno.test("OpenAiCompatibleProvider reads the whole completion of a server that does not stream", async () => {
  const events = await answer({
    status: 200,
    body: { choices: [{ message: { content: "a" }, finish_reason: "stop" }] },
  });
  assert.equal(responseOf(events).content, "a");
  assert.deepEqual(events[0], { type: "text", text: "a" });
});

Deno.test.each<[string, readonly StreamStep[]]>([
  ["the server says that it is done", [TEXT, { type: "done" }]],
  ["the model has finished", [TEXT, { type: "finish", reason: "stop" }]],
  ["the connection breaks after the model has finished", [
    TEXT,
    { type: "finish", reason: "stop" },
    { type: "cut", how: "reset" },
  ]],
])("OpenAiCompatibleProvider takes an answer for whole when %s", async (_, steps) => {
  assert.equal(responseOf(await answer({ steps, isBare: true })).content, "half");
});

Deno.test.each<[ProviderFailure, string, ModelReply]>([
  ["provider_connection", "a cut in silence", { steps: [TEXT, { type: "cut", how: "silent" }] }],
  ["provider_connection", "a broken connection", { steps: [TEXT, { type: "cut", how: "reset" }] }],
  ["provider_connection", "a cut call", {
    steps: [
      { type: "calls", deltas: [{ index: 0, id: "a", name: "f", arguments: '{"x"' }] },
      { type: "cut", how: "silent" },
    ],
  }],
  ["provider_connection", "a chunk that is no JSON", {
    steps: [TEXT, { type: "raw", text: "data: {broken\n\n" }],
  }],
  ["provider_empty", "an empty stream", { steps: [], isBare: true }],
  ["provider_empty", "nothing but the end of the stream", {
    steps: [{ type: "done" }],
    isBare: true,
  }],
  ["provider_empty", "no choices", { status: 200, body: { choices: [] } }],
  ["provider_bad_request", "a page", {
    status: 200,
    headers: { "content-type": "text/html" },
    body: "<html>Log in</html>",
  }],
  ["provider_overloaded", "an error inside the stream", {
    steps: [TEXT, { type: "error", error: { code: 502, message: "upstream" } }],
  }],
  ["provider_rate_limited", "a limit inside the stream", {
    steps: [{ type: "error", error: { type: "rate_limit_error", message: "slow down" } }],
  }],
  ["provider_overloaded", "an answer that ends in error", {
    steps: [TEXT, { type: "finish", reason: "error" }],
  }],
  ["provider_overloaded", "an error under status 200", {
    status: 200,
    body: { error: { type: "server_error", message: "oops" } },
  }],
  ["provider_auth", "a wrong key", refuse(401, { message: "no", code: "invalid_api_key" })],
  ["provider_overloaded", "a page of a proxy", {
    status: 502,
    headers: { "content-type": "text/html" },
    body: "<html>Bad gateway</html>",
  }],
  [
    "provider_context_too_long",
    "a long conversation",
    refuse(400, {
      code: "context_length_exceeded",
      message: "too long",
    }),
  ],
])("OpenAiCompatibleProvider fails with %s on %s", async (code, _, reply) => {
  assert.equal(errorOf(await answer(reply)).code, code);
});

Deno.test("OpenAiCompatibleProvider fails with provider_connection when nobody listens", async () => {
  let baseUrl = "";
  {
    await using server = await ModelServer.start();
    baseUrl = server.baseUrl;
  }
  const error = errorOf(await askAll(connect({ baseUrl })));
  assert.equal(error.code, "provider_connection");
  assert.match(error.message, /refused/i);
});

Deno.test("OpenAiCompatibleProvider tells how long the vendor wants to be left alone", async () => {
  const error = errorOf(await answer(refuse(429, { message: "x" }, { "retry-after": "20" })));
  assert.equal(error.retryAfterMs, 20_000);
  assert.equal(error.status, 429);
});

Deno.test("OpenAiCompatibleProvider believes a vendor that says not to ask again", async () => {
  const reply = refuse(409, { type: "rate_limit_exceeded" }, {
    "retry-after-ms": "250",
    "x-should-retry": "false",
  });
  const error = errorOf(await answer(reply));
  assert.equal(error.recovery, "give_up");
  assert.equal(error.retryAfterMs, 250);
});

Deno.test.each([429, 500, 502])("OpenAiCompatibleProvider asks once on %s", async (status) => {
  await using server = await ModelServer.start(() => refuse(status, { message: "x" }));
  errorOf(await askAll(connect(server)));
  assert.equal(server.requests.length, 1);
});

Deno.test("OpenAiCompatibleProvider gives up on a stream that stalls, and hangs up", async () => {
  await using server = await ModelServer.start([{ steps: [TEXT, { type: "stall" }] }]);
  const clock = new ManualClock();
  const seen: ChatEvent[] = [];
  const reading = read(connect(server, { clock }), seen);
  await until(() => seen.length === 1 && clock.pending === 1);
  await clock.advance(STALL_MS);
  await reading;
  const error = errorOf(seen);
  assert.equal(error.code, "provider_timeout");
  assert.match(error.message, /stream stalled for more than 90 seconds/);
  assert.equal(await server.requests[0]?.ended, "aborted");
  assert.equal(clock.pending, 0);
});

Deno.test("OpenAiCompatibleProvider gives up on a server that sends no headers", async () => {
  await using server = await ModelServer.start([{ ...say("x"), headersAfter: "never" }]);
  const clock = new ManualClock();
  const events = askAll(connect(server, { clock }));
  const request = await server.request(0);
  await clock.advance(STALL_MS);
  assert.equal(errorOf(await events).code, "provider_timeout");
  assert.equal(await request.ended, "aborted");
});

Deno.test.each<[string, boolean, StreamStep]>([
  ["text", true, TEXT],
  ["reasoning", true, { type: "reasoning", text: "hm" }],
  ["a piece of a call", true, {
    type: "calls",
    deltas: [{ index: 0, id: "a", name: "f", arguments: "{" }],
  }],
  ["a comment", false, { type: "comment", text: "still here" }],
])("OpenAiCompatibleProvider takes %s for a sign of life: %s", async (_, isLife, sign) => {
  const encoder = new TextEncoder();
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  using _fetch = answerFetch(readable);
  const clock = new ManualClock();
  const seen: ChatEvent[] = [];
  const reading = read(connect({ baseUrl: "http://127.0.0.1:1/v1" }, { clock }), seen);
  await writer.write(encoder.encode(renderStep(TEXT, "m")));
  await clock.advance(STALL_MS - 1_000);
  await writer.write(encoder.encode(renderStep(sign, "m")));
  await clock.advance(STALL_MS - 1_000);
  assert.equal(seen.at(-1)?.type === "failed", !isLife);
  await clock.advance(1_000);
  await reading;
  assert.equal(errorOf(seen).code, "provider_timeout");
});

Deno.test("OpenAiCompatibleProvider does not count its reader's time as silence", async () => {
  await using server = await ModelServer.start([{
    steps: [TEXT, { type: "pause", until: "read" }, { type: "text", text: "!" }],
  }]);
  const clock = new ManualClock();
  const events: ChatEvent[] = [];
  for await (const event of connect(server, { clock }).chat(chatRequest(), NEVER)) {
    events.push(event);
    if (events.length > 1) continue;
    await clock.advance(10 * STALL_MS);
    server.release("read");
  }
  assert.equal(responseOf(events).content, "half!");
});

Deno.test.each<[string, ModelReply]>([
  ["before the headers", { ...say("x"), headersAfter: "never" }],
  ["during the answer", { steps: [TEXT, { type: "stall" }] }],
])("OpenAiCompatibleProvider stops %s when its caller aborts", async (_, reply) => {
  await using server = await ModelServer.start([reply]);
  const clock = new ManualClock();
  const controller = new AbortController();
  const seen: ChatEvent[] = [];
  const reading = read(connect(server, { clock }), seen, controller.signal);
  const request = await server.request(0);
  if ("steps" in reply && reply.headersAfter === undefined) await until(() => seen.length === 1);
  controller.abort();
  await reading;
  assert.equal(errorOf(seen).code, "provider_aborted");
  assert.equal(await request.ended, "aborted");
  assert.equal(clock.pending, 0);
});

Deno.test("OpenAiCompatibleProvider asks nothing for a caller that has aborted already", async () => {
  await using server = await ModelServer.start([say("x")]);
  const events = await askAll(connect(server), {}, AbortSignal.abort());
  assert.equal(errorOf(events).code, "provider_aborted");
  assert.equal(server.requests.length, 0);
});

Deno.test("OpenAiCompatibleProvider hangs up when its reader leaves", async () => {
  await using server = await ModelServer.start([{ steps: [TEXT, { type: "stall" }] }]);
  const clock = new ManualClock();
  for await (const _ of connect(server, { clock }).chat(chatRequest(), NEVER)) break;
  assert.equal(await server.requests[0]?.ended, "aborted");
  assert.equal(clock.pending, 0);
});

Deno.test("OpenAiCompatibleProvider sends its own headers and none of the environment", async () => {
  const leaks = {
    OPENAI_API_KEY: "leak-key",
    OPENAI_ADMIN_KEY: "leak-admin",
    OPENAI_BASE_URL: "http://127.0.0.1:1",
    OPENAI_ORG_ID: "leak-org",
    OPENAI_PROJECT_ID: "leak-project",
    OPENAI_CUSTOM_HEADERS: "X-Leak: leak-custom\nAuthorization: leak-auth",
  };
  await using server = await ModelServer.start(() => say("x"));
  for (const [name, value] of Object.entries(leaks)) Deno.env.set(name, value);
  try {
    responseOf(await askAll(connect(server)));
  } finally {
    for (const name of Object.keys(leaks)) Deno.env.delete(name);
  }
  const headers = server.requests[0]?.headers ?? {};
  assert.equal(headers["authorization"], "Bearer the-key");
  assert.ok(!JSON.stringify(headers).includes("leak"), JSON.stringify(headers));
  assert.ok(!Object.keys(headers).some((name) => name.startsWith("x-stainless")));
});

Deno.test("OpenAiCompatibleProvider keeps a conversation at one address without naming it", async () => {
  await using server = await ModelServer.start(() => say("x"));
  const provider = connect(server);
  for (const conversationId of ["feishu:ou_1", "feishu:ou_1", "feishu:ou_2"]) {
    await askAll(provider, { conversationId });
  }
  const [first, second, third] = server.requests.map(({ headers }) =>
    headers["x-session-affinity"]
  );
  assert.match(first ?? "", /^[0-9a-f]{32}$/);
  assert.equal(second, first);
  assert.notEqual(third, first);
});

Deno.test("OpenAiCompatibleProvider lets the user's headers win", async () => {
  await using server = await ModelServer.start(() => say("x"));
  const extraHeaders = {
    "X-Session-Affinity": "mine",
    "APP-Code": "1",
    "X-OpenRouter-Title": "Mine",
  };
  await askAll(connect(server, { vendor: "openrouter", section: { extraHeaders } }));
  assert.partialDeepStrictEqual(server.requests[0]?.headers, {
    "x-session-affinity": "mine",
    "app-code": "1",
    "x-openrouter-title": "Mine",
    "x-openrouter-categories": "cli-agent,personal-agent",
  });
});

Deno.test("OpenAiCompatibleProvider asks without usage where that is refused, and remembers", async () => {
  await using server = await ModelServer.start(({ body }) =>
    body.stream_options === undefined
      ? say("a")
      : refuse(400, { message: "Unrecognized field", param: "stream_options" })
  );
  const provider = connect(server);
  assert.equal(responseOf(await askAll(provider)).content, "a");
  assert.equal(responseOf(await askAll(provider)).content, "a");
  assert.equal(server.requests.length, 3);
});

Deno.test("OpenAiCompatibleProvider makes each concession once, then fails", async () => {
  await using server = await ModelServer.start(() =>
    refuse(400, { message: "stream_options, temperature not supported: max_completion_tokens" })
  );
  assert.equal(errorOf(await askAll(connect(server))).code, "provider_bad_request");
  assert.equal(server.requests.length, 4);
});

Deno.test("OpenAiCompatibleProvider keeps keys and headers out of its errors", async () => {
  const secret = "my-proxy-secret";
  const reply = refuse(401, { message: `bad key the-key, header ${secret}` });
  const error = errorOf(await answer(reply, { section: { extraHeaders: { "x-auth": secret } } }));
  const shown = `${error.message} ${error.userText} ${error.stack} ${Deno.inspect(error)}`;
  assert.ok(!shown.includes("the-key") && !shown.includes(secret), shown);
});

Deno.test("OpenAiCompatibleProvider serves many calls at once", async () => {
  await using server = await ModelServer.start(() => ({
    steps: [{ type: "pause", until: "all" }, { type: "text", text: "a" }],
  }));
  const provider = connect(server);
  const asked = Array.from({ length: 50 }, () => askAll(provider));
  await server.request(49);
  server.release("all");
  for (const events of await Promise.all(asked)) assert.equal(responseOf(events).content, "a");
  assert.equal(server.concurrentMax, 50);
});

Deno.test("OpenAiCompatibleProvider reads the same answer however its bytes are cut", async () => {
  const whole = callTool("read", { path: "日本語 👋" }, { text: "Grüße, 世界 👋" });
  await using server = await ModelServer.start([whole]);
  const provider = connect(server);
  const expected = responseOf(await askAll(provider));
  const lines = [
    ...["Grüße, ", "世界 👋"].map((content) => ({ delta: { content } })),
    {
      delta: {
        tool_calls: [{
          index: 0,
          id: "call_read",
          function: { name: "read", arguments: '{"path":"日本語 👋"}' },
        }],
      },
    },
    { delta: {}, finish_reason: "tool_calls" },
  ].map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const stream = lines.join("") +
    `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), async (sizes) => {
      using _ = serveInPieces(new TextEncoder().encode(stream), sizes);
      assert.deepEqual(responseOf(await askAll(provider)), expected);
    }),
    { numRuns: 50 },
  );
});

const NEVER = new AbortController().signal;

async function read(
  provider: OpenAiCompatibleProvider,
  seen: ChatEvent[],
  signal: AbortSignal = NEVER,
): Promise<void> {
  for await (const event of provider.chat(chatRequest(), signal)) seen.push(event);
}

/** Lets every `fetch` answer with `bytes`, cut into pieces of `sizes`, until it is disposed. */
function serveInPieces(bytes: Uint8Array<ArrayBuffer>, sizes: readonly number[]): Disposable {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = start + (sizes[pieces.length % sizes.length] ?? 1);
    pieces.push(bytes.slice(start, end));
    start = end;
  }
  return answerFetch(ReadableStream.from(pieces));
}

/** Lets `fetch` answer with a stream of events until it is disposed: no socket, no waiting. */
function answerFetch(body: ReadableStream<Uint8Array<ArrayBuffer>>): Disposable {
  const original = globalThis.fetch;
  globalThis.fetch = (_, init) => {
    const response = new Response(abortable(body, init?.signal), {
      headers: { "content-type": "text/event-stream" },
    });
    return Promise.resolve(response);
  };
  return { [Symbol.dispose]: () => void (globalThis.fetch = original) };
}

function abortable(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const passing = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  body.pipeTo(passing.writable, signal ? { signal } : {}).catch(() => {});
  return passing.readable;
}
