import assert from "node:assert/strict";
import type { ChatEvent, Provider, ProviderFailure } from "../../providers/provider.ts";
import {
  type ModelReply,
  ModelServer,
  refuse,
  say,
  type StreamStep,
} from "../simulators/model_server.ts";
import { newRendering } from "../simulators/model/protocol.ts";
import { askAll, chatRequest, errorOf, responseOf } from "../support/chat.ts";
import { answerFetch } from "../support/fetch_stub.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { connect, type ConnectOptions, STALL_MS } from "../support/providers.ts";
import { until } from "../support/until.ts";

async function answer(
  reply: ModelReply,
  options: Partial<ConnectOptions> = {},
): Promise<readonly ChatEvent[]> {
  await using server = await ModelServer.start([reply]);
  return await askAll(connect({ baseUrl: server.baseUrl, ...options }));
}

const NEVER: AbortSignal = new AbortController().signal;
async function read(provider: Provider, seen: ChatEvent[]): Promise<void> {
  for await (const event of provider.chat(chatRequest(), NEVER)) seen.push(event);
}

const TEXT: StreamStep = { type: "text", text: "half" };

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
  using _fetch = answerFetch(() => readable);
  const clock = new ManualClock();
  const seen: ChatEvent[] = [];
  const provider = connect({ baseUrl: "http://127.0.0.1:1/v1", clock });
  const rendering = newRendering("chat_completions", "m");
  const reading = read(provider, seen);
  await writer.write(encoder.encode(rendering.step(TEXT)));
  await clock.advance(STALL_MS - 1_000);
  await writer.write(encoder.encode(rendering.step(sign)));
  await clock.advance(STALL_MS - 1_000);
  assert.equal(seen.at(-1)?.type === "failed", !isLife);
  await clock.advance(1_000);
  await reading;
  assert.equal(errorOf(seen).code, "provider_timeout");
});

Deno.test("OpenAiCompatibleProvider keeps a conversation at one address without naming it", async () => {
  await using server = await ModelServer.start(() => say("x"));
  const provider = connect({ baseUrl: server.baseUrl });
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
  await askAll(
    connect({ baseUrl: server.baseUrl, vendor: "openrouter", section: { extraHeaders } }),
  );
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
  const provider = connect({ baseUrl: server.baseUrl });
  assert.equal(responseOf(await askAll(provider)).content, "a");
  assert.equal(responseOf(await askAll(provider)).content, "a");
  assert.equal(server.requests.length, 3);
});

Deno.test("OpenAiCompatibleProvider makes each concession once, then fails", async () => {
  await using server = await ModelServer.start(() =>
    refuse(400, { message: "stream_options, temperature not supported: max_completion_tokens" })
  );
  assert.equal(
    errorOf(await askAll(connect({ baseUrl: server.baseUrl }))).code,
    "provider_bad_request",
  );
  assert.equal(server.requests.length, 4);
});

Deno.test.each<[ProviderFailure, string, ModelReply]>([
  ["provider_empty", "nothing but the end of the stream", {
    steps: [{ type: "done" }],
    isBare: true,
  }],
  ["provider_empty", "no choices", { status: 200, body: { choices: [] } }],
  ["provider_overloaded", "an answer that ends in error", {
    steps: [TEXT, { type: "finish", reason: "error" }],
  }],
])("OpenAiCompatibleProvider fails with %s on %s", async (code, _, reply) => {
  assert.equal(errorOf(await answer(reply)).code, code);
});

Deno.test("OpenAiCompatibleProvider does not wait long for what may come behind the last word", async () => {
  await using server = await ModelServer.start([{
    steps: [TEXT, { type: "finish", reason: "stop" }, { type: "stall" }],
  }]);
  const clock = new ManualClock();
  const asked = askAll(connect({ baseUrl: server.baseUrl, clock }));
  await server.request(0);
  await until(async () => {
    await clock.advance(0);
    return clock.nextDueMs !== undefined && clock.nextDueMs - clock.now() === 5_000;
  });
  await clock.advance(5_000);
  assert.equal(responseOf(await asked).content, "half");
});

Deno.test("OpenAiCompatibleProvider gives its answer though the server does not hang up", async () => {
  await using server = await ModelServer.start([{
    steps: [TEXT, { type: "done" }, { type: "stall" }],
  }]);
  const clock = new ManualClock();
  const seen: ChatEvent[] = [];
  const reading = read(connect({ baseUrl: server.baseUrl, clock }), seen);
  await until(() => seen.at(-1)?.type === "finished");
  await until(() => clock.nextDueMs === clock.now() + 1_000);
  await clock.advance(1_000);
  await reading;
  assert.equal(await server.requests[0]?.ended, "aborted");
});

Deno.test("OpenAiCompatibleProvider finds calls that stand in the text, and shows them to nobody", async () => {
  const tools = [{ name: "read", description: "", parameters: {} }];
  await using server = await ModelServer.start([
    say("Let me ", "look. <tool", '_call>{"name":"read",', '"arguments":{"path":"a"}}</tool_call>'),
  ]);
  const events = await askAll(connect({ baseUrl: server.baseUrl }), { tools });
  const { content, calls, finishReason } = responseOf(events);
  assert.equal(content, "Let me look. ");
  assert.equal(finishReason, "tool_calls");
  assert.deepEqual(calls.map(({ call, parsed }) => [call.function.name, parsed]), [
    ["read", { state: "ok", value: { path: "a" } }],
  ]);
  assert.ok(events.every((event) => event.type !== "text" || !event.text.includes("<")));
});

Deno.test("OpenAiCompatibleProvider finds the calls in a second choice", async () => {
  const delta = {
    tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "{}" } }],
  };
  const events = await answer({
    steps: [
      { type: "text", text: "Let me look." },
      { type: "finish", reason: "stop" },
      { type: "chunk", chunk: { choices: [{ index: 1, delta, finish_reason: "tool_calls" }] } },
    ],
  });
  const { content, calls, finishReason } = responseOf(events);
  assert.equal(content, "Let me look.");
  assert.equal(calls.length, 1);
  assert.equal(finishReason, "tool_calls");
});

Deno.test("OpenAiCompatibleProvider talks to models that know no tools", async () => {
  await using server = await ModelServer.start(({ body }) =>
    "tools" in body ? refuse(400, { message: "gemma does not support tools" }) : say("a")
  );
  const tools = [{ name: "read", description: "", parameters: {} }];
  const provider = connect({ baseUrl: server.baseUrl });
  responseOf(await askAll(provider, { tools }));
  assert.equal(server.requests.length, 2);
});

Deno.test("OpenAiCompatibleProvider lays the user's own fields over each request", async () => {
  await using server = await ModelServer.start([say("a")]);
  const section = {
    extraBody: { top_p: 0.5, tools: [{ type: "web_search" }] },
    extraQuery: { "api-version": "1" },
  };
  const tools = [{ name: "read", description: "", parameters: {} }];
  responseOf(await askAll(connect({ baseUrl: server.baseUrl, section }), { tools }));
  const { body, query } = server.requests[0] ?? {};
  assert.partialDeepStrictEqual(body, {
    top_p: 0.5,
    stream_options: { include_usage: true },
    tools: [{ type: "function" }, { type: "web_search" }],
  });
  assert.equal(query, "?api-version=1");
});
