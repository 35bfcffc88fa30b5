import assert from "node:assert/strict";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { buildBody } from "../../providers/openai/body.ts";
import { OMITTED_IMAGE } from "../../providers/images.ts";
import { ToolNames } from "../../providers/messages/tool_names.ts";
import { wireModelName } from "../../providers/model_names.ts";
import { type Concession, concessionFor } from "../../providers/openai/concessions.ts";
import type { ChatMessage, ChatRequest, ToolDefinition } from "../../providers/provider.ts";
import { traitsOf } from "../../providers/traits.ts";
import { findVendor } from "../../providers/vendors.ts";
import { chatRequest } from "../support/chat.ts";

function body(
  vendorName: string,
  changes: Partial<ChatRequest> = {},
  concessions: readonly Concession[] = [],
): JsonObject {
  const vendor = findVendor(vendorName);
  assert.ok(vendor);
  const request = chatRequest(changes);
  const model = wireModelName(vendor, request.model);
  return buildBody(request, {
    model,
    traits: traitsOf(vendor, model),
    tools: new ToolNames(request.tools.map(({ name }) => name)),
    concessions: new Set(concessions),
  });
}

function called(extra: JsonObject = {}, text = "{}"): readonly ChatMessage[] {
  return [
    { role: "user", content: "a" },
    {
      role: "assistant",
      content: "Let me look.",
      reasoning_content: "hm",
      tool_calls: [{
        id: "call_function_akxp3wqzn7ph_1",
        type: "function",
        function: { name: "exec", arguments: text },
        ...extra,
      }],
    },
    { role: "tool", tool_call_id: "call_function_akxp3wqzn7ph_1", name: "exec", content: "ok" },
    { role: "user", content: "b" },
  ];
}

Deno.test("buildBody asks for a stream with usage and nothing that was not asked for", () => {
  assert.deepEqual(body("custom", { tokensMax: 0 }), {
    model: "test-model",
    messages: [{ role: "user", content: "hi" }],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 1,
    temperature: 0.1,
  });
});

Deno.test("buildBody sends tools and lets the model choose", () => {
  const parameters = { type: "object", properties: {} };
  const sent = body("custom", { tools: [{ name: "pwd", description: "Says where.", parameters }] });
  assert.deepEqual(sent["tools"], [
    { type: "function", function: { name: "pwd", description: "Says where.", parameters } },
  ]);
  assert.equal(sent["tool_choice"], "auto");
});

Deno.test.each<[string, string, string | null, boolean]>([
  ["openai", "gpt-4o", null, true],
  ["openai", "gpt-5-chat", null, false],
  ["openai", "o3-mini", null, false],
  ["openai", "gpt-4o", "medium", false],
  ["openai", "gpt-4o", "none", true],
  ["openrouter", "openai/gpt-5.1", null, false],
  ["custom", "doubao1.5", null, true],
  ["custom", "my-model", "medium", true],
])("buildBody at %s for %s with effort %s: temperature %s", (vendor, model, effort, isSent) => {
  assert.equal("temperature" in body(vendor, { model, reasoningEffort: effort }), isSent);
});

Deno.test.each([
  ["openai", "gpt-4o", "max_completion_tokens"],
  ["openai", "gpt-5-chat", "max_completion_tokens"],
  ["custom", "gpt-5-mini", "max_completion_tokens"],
  ["openrouter", "openai/o3-mini", "max_completion_tokens"],
  ["mistral", "mistral-large", "max_tokens"],
  ["deepseek", "deepseek-chat", "max_tokens"],
])("buildBody at %s limits %s by %s", (vendor, model, key) => {
  const sent = body(vendor, { model });
  assert.deepEqual(Object.keys(sent).filter((name) => name.startsWith("max_")), [key]);
  assert.equal(sent[key], 1_000);
});

Deno.test("buildBody lays a vendor's overrides over the rest", () => {
  assert.equal(body("moonshot", { model: "kimi-k2.6", reasoningEffort: "high" })["temperature"], 1);
});

Deno.test.each<[string, string, string | null, JsonObject]>([
  ["dashscope", "qwen3-plus", "medium", { reasoning_effort: "medium", enable_thinking: true }],
  ["dashscope", "qwen3-plus", "minimal", { reasoning_effort: "minimum", enable_thinking: false }],
  ["dashscope", "qwen3-plus", "none", { enable_thinking: false }],
  ["dashscope", "qwen3-plus", null, {}],
  ["minimax", "MiniMax-M2.7", "medium", { reasoning_effort: "medium", reasoning_split: true }],
  ["minimax", "MiniMax-M2.7", null, {}],
  ["volcengine", "doubao", "high", { reasoning_effort: "high", thinking: { type: "enabled" } }],
  ["byteplus", "x", "minimal", { reasoning_effort: "minimal", thinking: { type: "disabled" } }],
  ["openai", "gpt-4o", "medium", { reasoning_effort: "medium" }],
  ["openai", "gpt-4o", "adaptive", {}],
  ["moonshot", "kimi-k2.5", "medium", { thinking: { type: "enabled" } }],
  ["moonshot", "kimi-k2.6", "minimal", { thinking: { type: "disabled" } }],
  ["openrouter", "moonshotai/kimi-k2.5", "high", { thinking: { type: "enabled" } }],
  ["moonshot", "kimi-k2-thinking", "high", { reasoning_effort: "high" }],
  ["moonshot", "kimi-k2.7-code", "high", {}],
  ["moonshot", "kimi-k3", "high", { reasoning_effort: "max" }],
  ["moonshot", "kimi-k3", "low", {}],
  ["openrouter", "openai/o3", "high", { reasoning_effort: "high", reasoning: { effort: "high" } }],
  ["mistral", "mistral-medium", "low", { reasoning_effort: "none" }],
  ["mistral", "mistral-medium", "medium", { reasoning_effort: "high" }],
  ["mistral", "magistral-small", "high", {}],
  ["deepseek", "deepseek-chat", "high", {
    reasoning_effort: "high",
    thinking: { type: "enabled" },
  }],
  ["deepseek", "deepseek-chat", "none", { thinking: { type: "disabled" } }],
  ["custom", "qwen3.5-max", "high", { reasoning_effort: "high", enable_thinking: true }],
  ["openrouter", "xiaomi/mimo-v2-pro", "none", { thinking: { type: "disabled" } }],
  ["custom", "my-model", "minimum", { reasoning_effort: "minimal" }],
])("buildBody at %s asks %s to think at %s by %j", (vendor, model, reasoningEffort, expected) => {
  const keys = [
    "reasoning_effort",
    "reasoning",
    "enable_thinking",
    "reasoning_split",
    "thinking",
  ];
  const sent = Object.entries(body(vendor, { model, reasoningEffort }))
    .filter(([key]) => keys.includes(key));
  assert.deepEqual(Object.fromEntries(sent), expected);
});

Deno.test("buildBody keeps ids and the text beside calls, and drops what few vendors take", () => {
  const messages = called({ extra_content: { google: { thought_signature: "s" } } });
  assert.deepEqual(body("custom", { messages })["messages"], [
    { role: "user", content: "a" },
    {
      role: "assistant",
      content: "Let me look.",
      tool_calls: [{
        id: "call_function_akxp3wqzn7ph_1",
        type: "function",
        function: { name: "exec", arguments: "{}" },
      }],
    },
    { role: "tool", tool_call_id: "call_function_akxp3wqzn7ph_1", name: "exec", content: "ok" },
    { role: "user", content: "b" },
  ]);
});

Deno.test.each([
  ["deepseek", "deepseek-chat", true, false],
  ["moonshot", "kimi-k2-thinking", true, false],
  ["gemini", "gemini-3-pro", false, true],
  ["custom", "google/gemini-3-pro", false, true],
  ["mistral", "mistral-large", false, false],
  ["groq", "llama", false, false],
])("buildBody at %s for %s sends back reasoning: %s, extra content: %s", (...expected) => {
  const [vendor, model, reasoning, extra] = expected;
  const messages = called({ extra_content: { google: { thought_signature: "s" } } });
  const sent = JSON.stringify(body(vendor, { model, messages }));
  assert.equal(sent.includes("reasoning_content"), reasoning);
  assert.equal(sent.includes("thought_signature"), extra);
});

Deno.test.each([
  ["deepseek-reasoner", null, 2],
  ["deepseek-chat", "high", 2],
  ["deepseek-chat", null, 1],
  ["deepseek-chat", "none", 1],
  ["deepseek-r1", null, 0],
])("buildBody at deepseek for %s with effort %s sends reasoning with %s answers", (...row) => {
  const [model, reasoningEffort, expected] = row;
  const messages: readonly ChatMessage[] = [
    ...called(),
    { role: "assistant", content: "c" },
    { role: "user", content: "d" },
  ];
  const sent = JSON.stringify(body("deepseek", { model, messages, reasoningEffort }));
  assert.equal(sent.split('"reasoning_content"').length - 1, expected);
});

Deno.test.each([["zhipu", true], ["custom", false]])(
  "buildBody at %s asks for calls in pieces: %s",
  (vendor, expected) => {
    const sent = body(vendor, { tools: [toolNamed("pwd")] });
    assert.equal("tool_stream" in sent, expected);
    assert.ok(!("tool_stream" in body(vendor)));
  },
);

Deno.test.each([["openai", false], ["custom", true], ["mistral", true]])(
  "buildBody at %s names the tool with its result: %s",
  (vendor, expected) => {
    const sent = JSON.stringify(body(vendor, { messages: called() })["messages"]);
    assert.equal(sent.split('"name":"exec"').length - 1, expected ? 2 : 1);
  },
);

Deno.test("buildBody parts results from a user where a vendor wants that", () => {
  const sent = body("mistral", { messages: called() })["messages"];
  assert.ok(Array.isArray(sent));
  assert.deepEqual(sent.map(({ role }: { role: string }) => role), [
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
});

Deno.test("buildBody tells a model that takes text only that there was an image", () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA" } } as const;
  const messages: readonly ChatMessage[] = [
    { role: "user", content: [image, { type: "text", text: "a" }] },
  ];
  assert.deepEqual(body("deepseek", { messages })["messages"], [
    { role: "user", content: `${OMITTED_IMAGE}\na` },
  ]);
  assert.match(JSON.stringify(body("deepseek", { model: "deepseek-vl2", messages })), /image_url/);
});

Deno.test("buildBody gives Mistral ids of nine characters, the same on both ends", () => {
  const sent = JSON.stringify(body("mistral", { messages: called() }));
  assert.equal(sent.split('"3ec83c30d"').length - 1, 2);
});

Deno.test.each([
  ['{"cmd":"ls"}', '{"cmd":"ls"}'],
  ["{'cmd': 'pwd'}", '{"cmd":"pwd"}'],
  ["", "{}"],
  ["[1]", "{}"],
  ['"text"', "{}"],
  ['{"cmd":"ls', '{"cmd":"ls"}'],
])("buildBody sends the old arguments %s as %s", (text, expected) => {
  const sent = JSON.stringify(body("custom", { messages: called({}, text) }));
  assert.ok(sent.includes(`"arguments":${JSON.stringify(expected)}`), sent);
});

Deno.test("buildBody shows images of tool results in a user message behind them", () => {
  const url = "data:image/png;base64,AA";
  const [user, answer] = called();
  assert.ok(user && answer);
  const messages: readonly ChatMessage[] = [user, answer, {
    role: "tool",
    tool_call_id: "call_function_akxp3wqzn7ph_1",
    name: "exec",
    content: [
      { type: "image_url", image_url: { url }, _meta: { path: "/secret/a.png" } },
      { type: "text", text: "a.png" },
    ],
  }];
  const sent = body("openai", { messages })["messages"];
  assert.ok(Array.isArray(sent));
  assert.deepEqual(sent.slice(-2), [
    {
      role: "tool",
      tool_call_id: "call_function_akxp3wqzn7ph_1",
      content: "(The image follows in the next message.)\na.png",
    },
    { role: "user", content: [{ type: "image_url", image_url: { url } }] },
  ]);
  assert.ok(!JSON.stringify(sent).includes("/secret"));
});

Deno.test.each<[Concession, (sent: JsonObject) => boolean]>([
  ["stream_options", (sent) => !("stream_options" in sent)],
  ["temperature", (sent) => !("temperature" in sent)],
  ["limit_field", (sent) => "max_completion_tokens" in sent && !("max_tokens" in sent)],
  ["reasoning_content", (sent) => JSON.stringify(sent).includes("reasoning_content")],
])("buildBody honours the concession %s", (concession, holds) => {
  assert.equal(holds(body("custom", { messages: called() })), false);
  assert.equal(holds(body("custom", { messages: called() }, [concession])), true);
});

Deno.test.each<[Concession | undefined, number, string]>([
  ["stream_options", 400, "Unknown field: stream_options"],
  ["stream_options", 422, "body.stream_options: Extra inputs are not permitted"],
  ["limit_field", 400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."],
  ["temperature", 400, "Unsupported value: 'temperature' does not support 0.1 with this model."],
  ["reasoning_content", 400, "Missing `reasoning_content` field in the assistant message"],
  [undefined, 400, "Unknown model"],
  [undefined, 500, "stream_options made us fall over"],
])("concessionFor answers with %s to %s %s", (expected, status, text) => {
  assert.equal(concessionFor({ status, tokens: [], text }, new Set()), expected);
});

Deno.test("concessionFor makes no concession twice", () => {
  const fault = { status: 400, tokens: [], text: "stream_options" };
  assert.equal(concessionFor(fault, new Set<Concession>(["stream_options"])), undefined);
});

function toolNamed(name: string): ToolDefinition {
  return { name, description: "", parameters: {} };
}

/** Names of tools, and roles of messages, that carry a mark. */
function marked(model: string, vendor: string, tools: readonly string[] = []): readonly string[] {
  const system: ChatMessage = { role: "system", content: "S" };
  const sent = body(vendor, {
    model,
    messages: [system, ...called().slice(0, 3)],
    tools: tools.map(toolNamed),
  });
  const parts = [sent["messages"], sent["tools"]].flatMap((list) =>
    Array.isArray(list) ? list : []
  );
  return parts.map((part) => JSON.stringify(part)).filter((part) => part.includes("cache_control"))
    .map((part) => /"(?:role|name)":"(\w+)"/.exec(part)?.[1] ?? "");
}

Deno.test.each<[readonly string[], readonly string[]]>([
  [["read_file", "write_file", "mcp_fs_ls", "mcp_git_status"], ["write_file", "mcp_git_status"]],
  [["read_file", "write_file"], ["write_file"]],
  [[], []],
])("buildBody marks of the tools %j only %j for the cache", (tools, expected) => {
  assert.deepEqual(marked("anthropic/claude-opus", "openrouter", tools), [
    "system",
    "tool",
    ...expected,
  ]);
});

Deno.test.each([["openrouter", "openai/gpt-4o"], ["custom", "claude-opus"]])(
  "buildBody marks nothing for %s and %s",
  (vendor, model) => {
    assert.deepEqual(marked(model, vendor, ["read_file"]), []);
  },
);
