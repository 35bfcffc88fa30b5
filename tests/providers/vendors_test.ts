import assert from "node:assert/strict";
import type { ProviderSection } from "../../providers/choice.ts";
import type { ChatMessage, ChatRequest, ToolDefinition } from "../../providers/provider.ts";
import {
  type ModelReply,
  ModelServer,
  type RecordedRequest,
  say,
} from "../simulators/model_server.ts";
import * as completions from "../simulators/model_vendors/completions.ts";
import { strictAnthropic } from "../simulators/model_vendors/messages.ts";
import { strictCodex, strictResponses } from "../simulators/model_vendors/responses.ts";
import { SignInServer } from "../simulators/model_sign_in.ts";
import { askAll, errorOf, responseOf } from "../support/chat.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { connect, connectCodex, connectCopilot } from "../support/providers.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

interface Place {
  readonly vendor: string;
  readonly model: string;
  readonly effort?: string;
  readonly section?: ProviderSection;
  readonly strictness: completions.Strictness;
}

const IMAGE = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } } as const;
const LONG_ID = `call_${"x".repeat(60)}|fc_1`;

/** What other vendors have left in a conversation: their ids, thoughts and fields. */
const HISTORY: readonly ChatMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "system", content: "Be kind." },
  { role: "user", content: [IMAGE, { type: "text", text: "What is this?" }] },
  {
    role: "assistant",
    content: "  ",
    reasoning_content: "thoughts of another",
    thinking_blocks: [{ type: "thinking", thinking: "x", signature: "another's" }],
    tool_calls: [
      {
        id: LONG_ID,
        type: "function",
        function: { name: "9lives", arguments: "{'cat': 1" },
        extra_content: { other: { secret: 1 } },
      },
      { id: "functions.read:0", type: "function", function: { name: "read", arguments: "{}" } },
    ],
  },
  { role: "tool", tool_call_id: "functions.read:0", name: "read", content: "" },
  { role: "tool", tool_call_id: LONG_ID, name: "9lives", content: [IMAGE] },
  { role: "user", content: "And now?" },
  { role: "assistant", content: "A cat." },
  { role: "assistant", content: "I am sure." },
  { role: "user", content: "Look again." },
];

const TOOLS: readonly ToolDefinition[] = [
  {
    name: "read",
    description: "",
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        path: { $ref: "#/$defs/path" },
        depth: { type: ["integer", "null"], exclusiveMinimum: 0 },
        mode: { const: "r" },
      },
      additionalProperties: false,
      $defs: { path: { type: "string", pattern: "^/", format: "uri" } },
    },
  },
  {
    name: "9lives",
    description: "Counts.",
    parameters: {
      anyOf: [
        { type: "object", properties: { cat: { type: "number" } }, required: ["cat"] },
        { type: "object", properties: { dog: { type: "number" } } },
      ],
    },
  },
  { name: "mcp_pwd", description: "Says where.", parameters: {} },
];

const CALLS: ModelReply = {
  steps: [
    { type: "reasoning", text: "let me see" },
    { type: "text", text: "Let me look." },
    {
      type: "calls",
      deltas: [{
        index: 0,
        id: "functions.read:0",
        name: "read",
        arguments: '{"path":"/a"}',
        extra_content: { google: { thought_signature: "signed-by-google" } },
      }],
    },
    { type: "calls", deltas: [{ index: 1, id: "second", name: "mcp_pwd", arguments: "{}" }] },
  ],
};

/** Answers the first request with calls, the others with text, unless the vendor says no. */
function scripted(strictness: completions.Strictness) {
  return (request: RecordedRequest): ModelReply =>
    strictness(request) ?? (request.index === 0 ? CALLS : say("done"));
}

/** A conversation of three steps, with a follow-up right behind results. */
async function converse(
  provider: ReturnType<typeof connect>,
  { model, effort = null }: { readonly model: string; readonly effort?: string | null | undefined },
): Promise<void> {
  const ask = async (messages: readonly ChatMessage[], changes: Partial<ChatRequest> = {}) => {
    const request = { model, messages, tools: TOOLS, reasoningEffort: effort, ...changes };
    return responseOf(await askAll(provider, request));
  };
  const first = await ask(HISTORY);
  assert.deepEqual(first.calls.map(({ call }) => call.function.name), ["read", "mcp_pwd"]);
  const messages: readonly ChatMessage[] = [
    ...HISTORY,
    {
      role: "assistant",
      content: first.content,
      tool_calls: first.calls.map(({ call }) => call),
      ...(first.reasoning !== null && { reasoning_content: first.reasoning }),
      thinking_blocks: first.thinkingBlocks,
    },
    { role: "tool", tool_call_id: "functions.read:0", name: "read", content: "a file" },
    { role: "tool", tool_call_id: "second", name: "mcp_pwd", content: [IMAGE] },
    { role: "user", content: "A follow-up." },
  ];
  const second = await ask(messages);
  assert.equal(second.content, "done");
  const third = await ask([
    ...messages,
    { role: "assistant", content: second.content },
    { role: "user", content: "Thanks." },
  ], { tools: [] });
  assert.equal(third.content, "done");
}

Deno.test.each<[Place]>([
  [{ vendor: "openai", model: "gpt-4o", strictness: completions.strictOpenAi }],
  [{ vendor: "openai", model: "gpt-5.1", effort: "high", strictness: completions.strictOpenAi }],
  [{ vendor: "mistral", model: "mistral-large", strictness: completions.strictMistral }],
  [{
    vendor: "mistral",
    model: "mistral-medium",
    effort: "medium",
    strictness: completions.strictMistral,
  }],
  [{ vendor: "mistral", model: "magistral", effort: "low", strictness: completions.strictMistral }],
  [{ vendor: "groq", model: "kimi-k2-thinking", strictness: completions.strictGroq }],
  [{ vendor: "deepseek", model: "deepseek-chat", strictness: completions.strictDeepSeek }],
  [{ vendor: "deepseek", model: "deepseek-reasoner", strictness: completions.strictDeepSeek }],
  [{ vendor: "deepseek", model: "deepseek-r1", strictness: completions.strictDeepSeek }],
  [{ vendor: "moonshot", model: "kimi-k2", strictness: completions.strictMoonshot }],
  [{
    vendor: "moonshot",
    model: "kimi-k2.5",
    effort: "high",
    strictness: completions.strictMoonshot,
  }],
  [{ vendor: "minimax", model: "MiniMax-M2", strictness: completions.strictMiniMax }],
  [{
    vendor: "dashscope",
    model: "qwen3-max",
    effort: "minimal",
    strictness: completions.strictDashScope,
  }],
  [{ vendor: "zhipu", model: "glm-4.6", strictness: completions.strictZhipu }],
  [{ vendor: "gemini", model: "gemini-3-pro", strictness: completions.strictGemini }],
  [{ vendor: "anthropic", model: "claude-sonnet-4-5", strictness: strictAnthropic }],
  [{ vendor: "anthropic", model: "claude-opus-4-1", effort: "high", strictness: strictAnthropic }],
  [{ vendor: "anthropic", model: "claude-opus-4-8", effort: "high", strictness: strictAnthropic }],
  [{ vendor: "minimax_anthropic", model: "MiniMax-M2", strictness: strictAnthropic }],
  [{ vendor: "kimi_coding", model: "kimi-for-coding", strictness: strictAnthropic }],
  [{
    vendor: "openai",
    model: "gpt-5.1",
    section: { apiType: "responses" },
    strictness: strictResponses,
  }],
  [{ vendor: "azure_openai", model: "gpt-5.2-chat", strictness: strictResponses }],
  [{ vendor: "azure_openai", model: "o3", effort: "low", strictness: strictResponses }],
])("A conversation with the past of others satisfies %j", async (place) => {
  const { vendor, model, effort, section = {}, strictness } = place;
  await using server = await ModelServer.start(scripted(strictness));
  await converse(connect({ baseUrl: server.baseUrl, vendor, section }), { model, effort });
  assert.equal(server.requests.length, 3, "nothing was refused and asked again");
});

Deno.test("A conversation with the past of others satisfies Codex", async () => {
  await using folder = await temporaryFolder();
  const clock = new ManualClock();
  await using server = await ModelServer.start(scripted(strictCodex));
  await using signIn = new SignInServer({ now: () => clock.now() });
  const { baseUrl } = server;
  const options = { baseUrl, clock, stateFolder: folder.path, signInUrl: signIn.url };
  const provider = await connectCodex(options, signIn.makeTokens());
  await converse(provider, { model: "openai-codex/gpt-5.1-codex", effort: "medium" });
  assert.equal(server.requests.length, 3);
  assert.ok(server.requests.every(({ path }) => path === "/v1/codex/responses"));
});

Deno.test.each([["gpt-4.1", "/v1/chat/completions"], ["gpt-5.1", "/v1/responses"]])(
  "A conversation with the past of others satisfies Copilot with %s",
  async (model, path) => {
    await using folder = await temporaryFolder();
    const clock = new ManualClock();
    await using server = await ModelServer.start(scripted((request) => {
      if (request.headers["editor-version"] === undefined) {
        return { status: 400, body: "no editor" };
      }
      return path.endsWith("responses")
        ? strictResponses(request)
        : completions.strictGroq(request);
    }));
    await using signIn = new SignInServer({ now: () => clock.now() });
    const { baseUrl } = server;
    const options = { baseUrl, clock, stateFolder: folder.path, signInUrl: signIn.url };
    await converse(await connectCopilot(options), { model: `github-copilot/${model}` });
    assert.deepEqual(server.requests.map((request) => request.path), [path, path, path]);
    assert.equal(server.requests[0]?.headers["copilot-vision-request"], "true");
  },
);

Deno.test("Gemini gets its signatures back, and nobody else's data", async () => {
  await using server = await ModelServer.start(scripted(completions.strictGemini));
  const provider = connect({ baseUrl: server.baseUrl, vendor: "gemini" });
  await converse(provider, { model: "gemini-3-pro" });
  const sent = JSON.stringify(server.requests[1]?.body);
  assert.match(sent, /signed-by-google/);
  assert.match(sent, /skip_thought_signature_validator/);
});

Deno.test("Moonshot gets its own ids back", async () => {
  await using server = await ModelServer.start(scripted(completions.strictMoonshot));
  await converse(connect({ baseUrl: server.baseUrl, vendor: "moonshot" }), { model: "kimi-k2" });
  const sent = JSON.stringify(server.requests[1]?.body);
  assert.equal(sent.split('"functions.read:0"').length - 1, 4);
});

Deno.test("Claude gets its signed thoughts back, and nobody else's", async () => {
  await using server = await ModelServer.start(scripted(strictAnthropic));
  const provider = connect({ baseUrl: server.baseUrl, vendor: "anthropic" });
  await converse(provider, { model: "claude-sonnet-4-5", effort: "low" });
  const sent = JSON.stringify(server.requests[1]?.body);
  assert.equal(sent.split('"signature"').length - 1, 1);
  assert.doesNotMatch(sent, /another's/);
});

Deno.test("Responses get their sealed reasoning back, in front of its calls", async () => {
  await using server = await ModelServer.start(scripted(strictResponses));
  const provider = connect({
    baseUrl: server.baseUrl,
    vendor: "openai",
    section: { apiType: "responses" },
  });
  await converse(provider, { model: "gpt-5.1" });
  const input = server.requests[1]?.body["input"];
  assert.ok(Array.isArray(input));
  const kinds = input.map(({ type, role }: { type?: string; role?: string }) => type ?? role);
  assert.deepEqual(kinds.slice(-7), [
    "reasoning",
    "message",
    "function_call",
    "function_call",
    "function_call_output",
    "function_call_output",
    "user",
  ]);
  assert.doesNotMatch(JSON.stringify(input), /"id":/);
});

Deno.test("MiniMax's refusal under a good status is a failure", async () => {
  const base_resp = { status_code: 1004, status_msg: "login fail" };
  await using server = await ModelServer.start([{ status: 200, body: { base_resp } }]);
  const events = await askAll(connect({ baseUrl: server.baseUrl, vendor: "minimax" }));
  assert.match(errorOf(events).message, /login fail/);
});

Deno.test("StepFun's answer is found in its reasoning", async () => {
  const reply: ModelReply = { steps: [{ type: "reasoning", field: "reasoning", text: "a" }] };
  await using server = await ModelServer.start(() => reply);
  const at = (vendor: string) => askAll(connect({ baseUrl: server.baseUrl, vendor }));
  const events = await at("stepfun");
  assert.deepEqual(events.filter(({ type }) => type === "text"), [{ type: "text", text: "a" }]);
  assert.equal(responseOf(events).content, "a");
  assert.equal(responseOf(await at("openrouter")).content, null);
});
