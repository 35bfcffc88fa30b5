import assert from "node:assert/strict";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { buildBody } from "../../providers/anthropic/body.ts";
import { MessageFold } from "../../providers/anthropic/fold.ts";
import { planThinking } from "../../providers/anthropic/thinking.ts";
import { ToolNames } from "../../providers/messages/tool_names.ts";
import { INTERRUPTED_RESULT } from "../../providers/messages/pairing.ts";
import type {
  AssistantMessage,
  ChatMessage,
  ChatRequest,
  ChatResponse,
} from "../../providers/provider.ts";
import { traitsOf } from "../../providers/traits.ts";
import { findVendor } from "../../providers/vendors.ts";
import { ModelServer, refuse, say } from "../simulators/model_server.ts";
import { askAll, chatRequest, responseOf } from "../support/chat.ts";
import { connect } from "../support/providers.ts";

const ORIGIN = "anthropic@api.anthropic.com/claude-sonnet-4-5";

function body(changes: Partial<ChatRequest>, model = "claude-sonnet-4-5"): JsonObject {
  const vendor = findVendor("anthropic");
  assert.ok(vendor);
  const request = chatRequest(changes);
  return buildBody(request, {
    model,
    traits: traitsOf(vendor, model),
    tools: new ToolNames(request.tools.map(({ name }) => name)),
    origin: ORIGIN,
  });
}

/** The messages of a request, each as its role and its blocks without marks. */
function wire(messages: readonly ChatMessage[], effort: string | null = null): readonly unknown[] {
  const sent = body({ messages, reasoningEffort: effort })["messages"];
  assert.ok(Array.isArray(sent));
  return sent.map(({ role, content }: { role: string; content: readonly JsonObject[] }) => [
    role,
    ...content.map(({ cache_control: _, ...block }) =>
      block["type"] === "text" ? block["text"] : block
    ),
  ]);
}

function u(content: string): ChatMessage {
  return { role: "user", content };
}

function a(content: string): ChatMessage {
  return { role: "assistant", content };
}

const use: AssistantMessage = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "t1", type: "function", function: { name: "f", arguments: "{}" } }],
};
const result: ChatMessage = { role: "tool", tool_call_id: "t1", name: "f", content: "out" };
const USE = { type: "tool_use", id: "t1", name: "f", input: {} };
const RESULT = { type: "tool_result", tool_use_id: "t1", content: "out" };

Deno.test.each<[string, readonly ChatMessage[], readonly unknown[]]>([
  ["ANT-01", [u("a"), a("b"), u("c")], [["user", "a"], ["assistant", "b"], ["user", "c"]]],
  ["ANT-02", [u("a"), u("b"), a("c")], [["user", "a\n\nb"]]],
  ["ANT-03", [u("a"), a("b")], [["user", "a"]]],
  ["ANT-04", [u("a"), a("b"), u("c"), a("d"), a("e")], [
    ["user", "a"],
    ["assistant", "b"],
    ["user", "c"],
  ]],
  ["ANT-05", [], []],
  ["ANT-06", [u("a")], [["user", "a"]]],
  ["ANT-07", [a("hi")], [["user", "hi"]]],
  ["ANT-08", [a("a"), a("b")], [["user", "a\n\nb"]]],
  ["ANT-09, answered", [use], [
    ["assistant", USE],
    ["user", { ...RESULT, content: INTERRUPTED_RESULT }],
  ]],
  ["ANT-10", [a("a"), u("b"), a("c"), u("d")], [
    ["user", "(conversation continued)"],
    ["assistant", "a"],
    ["user", "b"],
    ["assistant", "c"],
    ["user", "d"],
  ]],
  ["ANT-11", [use, result], [["assistant", USE], ["user", RESULT]]],
  ["results and a follow-up in one message", [u("a"), use, result, u("b")], [
    ["user", "a"],
    ["assistant", USE],
    ["user", RESULT, "b"],
  ]],
])("Anthropic's messages: %s", (_, messages, expected) => {
  assert.deepEqual(wire(messages), expected);
});

Deno.test("Anthropic's messages have all standing instructions apart", () => {
  const system = ["One.", "Two."].map((content): ChatMessage => ({ role: "system", content }));
  const sent = body({ messages: [...system, u("a")] });
  assert.deepEqual(sent["system"], [
    { type: "text", text: "One." },
    { type: "text", text: "Two.", cache_control: { type: "ephemeral" } },
  ]);
});

Deno.test.each<[string, unknown]>([
  ["data:image/png;base64,AA==", {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "AA==" },
  }],
  ["https://host/a.png", {
    type: "image",
    source: { type: "url", url: "https://host/a.png" },
  }],
  [
    "data:image/svg+xml;base64,AA==",
    "[Image not delivered to model — do not describe or reference it]",
  ],
  ["file:///etc/passwd", "[Image not delivered to model — do not describe or reference it]"],
])("Anthropic's messages show the image %s", (url, expected) => {
  const content = [{ type: "image_url", image_url: { url } } as const];
  assert.deepEqual(wire([{ role: "user", content }]), [["user", expected]]);
});

Deno.test("Anthropic's messages have a mended input for each old call", () => {
  const call = {
    id: "t1",
    type: "function",
    function: { name: "f", arguments: "{'x': 1" },
  } as const;
  const [, sent] = wire([u("a"), { role: "assistant", content: null, tool_calls: [call] }, result]);
  assert.deepEqual(sent, ["assistant", { ...USE, input: { x: 1 } }]);
});

const THOUGHT = { type: "thinking", thinking: "hm", signature: "s" };
const HIDDEN = { type: "redacted_thinking", data: "d" };

function thoughtful(origin: string): ChatMessage {
  const thinking_blocks = [THOUGHT, HIDDEN].map((block) => ({ ...block, _meta: { origin } }));
  return { ...use, thinking_blocks };
}

Deno.test("Anthropic's messages give thoughts back to the model that had them", () => {
  const sent = wire([u("a"), thoughtful(ORIGIN), result], "high");
  assert.deepEqual(sent[1], ["assistant", THOUGHT, HIDDEN, USE]);
});

Deno.test.each<[string, string | null]>([["another/model", "high"], [ORIGIN, null]])(
  "Anthropic's messages give no thoughts of %s back at effort %s",
  (origin, effort) => {
    assert.deepEqual(wire([u("a"), thoughtful(origin), result], effort)[1], ["assistant", USE]);
  },
);

Deno.test("Anthropic's messages do not ask for thoughts in the middle of a round without any", () => {
  const sent = body({ messages: [u("a"), use, result], reasoningEffort: "high" });
  assert.equal(sent["thinking"], undefined);
  const fresh = body({ messages: [u("a"), use, result, a("b"), u("c")], reasoningEffort: "high" });
  assert.notEqual(fresh["thinking"], undefined);
});

interface Plan {
  readonly effort: string | null;
  readonly tokensMax?: number;
  readonly model?: string;
}

Deno.test.each<[Plan, JsonObject]>([
  [{ effort: null }, { max_tokens: 4_096, temperature: 0.7 }],
  [{ effort: "none" }, { max_tokens: 4_096, temperature: 0.7 }],
  [{ effort: "minimal" }, { max_tokens: 4_096, temperature: 0.7 }],
  [{ effort: "adaptive", tokensMax: 2_048 }, {
    max_tokens: 2_048,
    temperature: 1,
    thinking: { type: "adaptive" },
  }],
  [{ effort: "low" }, {
    max_tokens: 5_120,
    temperature: 1,
    thinking: { type: "enabled", budget_tokens: 1_024 },
  }],
  [{ effort: "medium" }, {
    max_tokens: 8_192,
    temperature: 1,
    thinking: { type: "enabled", budget_tokens: 4_096 },
  }],
  [{ effort: "high" }, {
    max_tokens: 12_288,
    temperature: 1,
    thinking: { type: "enabled", budget_tokens: 8_192 },
  }],
  [{ effort: "high", tokensMax: 32_000, model: "claude-opus-4-1" }, {
    max_tokens: 32_000,
    temperature: 1,
    thinking: { type: "enabled", budget_tokens: 30_976 },
  }],
  [{ effort: null, tokensMax: 64_000, model: "claude-3-5-sonnet-latest" }, {
    max_tokens: 8_192,
    temperature: 0.7,
  }],
  [{ effort: "high", model: "claude-opus-4-8" }, {
    max_tokens: 4_096,
    thinking: { type: "adaptive" },
    output_config: { effort: "high" },
  }],
  [{ effort: null, model: "claude-opus-4-8" }, { max_tokens: 4_096 }],
  [{ effort: "none", model: "claude-opus-4-8" }, { max_tokens: 4_096 }],
  [{ effort: "none", model: "claude-sonnet-5" }, {
    max_tokens: 4_096,
    thinking: { type: "disabled" },
  }],
  [{ effort: "low", model: "claude-opus-4-20250514" }, {
    max_tokens: 5_120,
    temperature: 1,
    thinking: { type: "enabled", budget_tokens: 1_024 },
  }],
])(
  "planThinking plans %j",
  ({ effort, tokensMax = 4_096, model = "claude-sonnet-4-5" }, fields) => {
    const vendor = findVendor("anthropic");
    assert.ok(vendor);
    const request = { reasoningEffort: effort, tokensMax, temperature: 0.7 };
    assert.deepEqual(planThinking(request, traitsOf(vendor, model), true).fields, fields);
  },
);

Deno.test("Anthropic's requests carry at most four marks, on blocks that can have them", () => {
  const tools = ["read", "write", "mcp_a", "mcp_b"].map((name) => ({
    name,
    description: "x",
    parameters: {},
  }));
  const messages: readonly ChatMessage[] = [
    { role: "system", content: "S" },
    u("a"),
    thoughtful(ORIGIN),
    result,
  ];
  const sent = body({ messages, tools, reasoningEffort: "high" });
  assert.equal(JSON.stringify(sent).split("cache_control").length - 1, 4);
  assert.ok(Array.isArray(sent["messages"]));
  assert.match(JSON.stringify(sent["messages"].at(-1)), /"tool_result".*"cache_control"/);
  assert.ok(Array.isArray(sent["tools"]));
  const marked = sent["tools"].filter((tool) => JSON.stringify(tool).includes("cache_control"));
  assert.deepEqual(marked.map(({ name }: { name: string }) => name), ["write", "mcp_b"]);
});

function newFold(): MessageFold {
  let made = 0;
  return new MessageFold({
    newCallId: () => `new_${++made}`,
    toolName: (name) => name,
    origin: ORIGIN,
  });
}

function fold(events: readonly JsonObject[]): ChatResponse {
  const answer = newFold();
  for (const event of events) assert.equal(answer.add(event).state, "ok");
  const folded = answer.finish(answer.isComplete);
  assert.equal(folded.state, "ok", JSON.stringify(folded));
  return folded.response;
}

function stop(reason = "end_turn", usage: JsonObject = {}): readonly JsonObject[] {
  return [{ type: "message_delta", delta: { stop_reason: reason }, usage }, {
    type: "message_stop",
  }];
}

Deno.test.each<[JsonObject, unknown]>([
  [{
    input_tokens: 800,
    output_tokens: 200,
    cache_creation_input_tokens: 300,
    cache_read_input_tokens: 1_200,
  }, {
    promptTokens: 2_300,
    completionTokens: 200,
    totalTokens: 2_500,
    cachedTokens: 1_200,
    cacheWriteTokens: 300,
  }],
  [{ input_tokens: 800, output_tokens: 200 }, {
    promptTokens: 800,
    completionTokens: 200,
    totalTokens: 1_000,
  }],
  [{}, null],
])("MessageFold reads the usage %j", (usage, expected) => {
  const { output_tokens: output, ...input } = usage;
  const events = [
    { type: "message_start", message: { usage: { ...input, output_tokens: 1 } } },
    ...stop("end_turn", output === undefined ? { output_tokens: 0 } : { output_tokens: output }),
  ];
  assert.deepEqual(fold(events).usage, expected);
});

Deno.test.each([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["pause_turn", "length"],
  ["refusal", "refusal"],
  ["something_new", "other"],
])("MessageFold reads the stop reason %s as %s", (reason, expected) => {
  assert.equal(fold(stop(reason)).finishReason, expected);
});

Deno.test("MessageFold keeps thoughts with their signature, hidden ones too, and shows them", () => {
  const { reasoning, thinkingBlocks } = fold([
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "h" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "m" } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
    { type: "content_block_start", index: 1, content_block: HIDDEN },
    ...stop(),
  ]);
  const _meta = { origin: ORIGIN };
  assert.equal(reasoning, "hm");
  assert.deepEqual(thinkingBlocks, [{ ...THOUGHT, _meta }, { ...HIDDEN, _meta }]);
});

Deno.test("MessageFold reads the input of a call that comes whole", () => {
  const content_block = { type: "tool_use", id: "t", name: "f", input: { x: 1 } };
  const [requested] = fold([
    { type: "content_block_start", index: 0, content_block },
    ...stop("tool_use"),
  ]).calls;
  assert.deepEqual(requested?.parsed, { state: "ok", value: { x: 1 } });
});

Deno.test("MessageFold reads blocks that nothing announced", () => {
  const delta = { type: "text_delta", text: "a" };
  assert.equal(fold([{ type: "content_block_delta", index: 3, delta }, ...stop()]).content, "a");
});

Deno.test("MessageFold takes what it does not know for nothing", () => {
  const answer = newFold();
  for (const odd of [null, 1, "x", [], {}, { type: "new_event" }, { type: "ping" }]) {
    assert.deepEqual(answer.add(odd), { state: "ok", text: "", reasoning: "" });
  }
  assert.equal(answer.finish(true).state, "fault");
});

Deno.test.each(["", "/", "/v1", "/v1/"])(
  "AnthropicProvider finds the API at an address that ends with '%s'",
  async (ending) => {
    await using server = await ModelServer.start([say("a")]);
    const baseUrl = `http://127.0.0.1:${server.port}${ending}`;
    responseOf(await askAll(connect({ baseUrl, vendor: "anthropic" })));
    const [request] = server.requests;
    assert.equal(request?.path, "/v1/messages");
    assert.partialDeepStrictEqual(request?.headers, {
      "x-api-key": "the-key",
      "anthropic-version": "2023-06-01",
    });
    assert.equal(request?.headers["authorization"], undefined);
  },
);

Deno.test("AnthropicProvider sends the model without the maker's prefix", async () => {
  await using server = await ModelServer.start([say("a")]);
  const provider = connect({ baseUrl: server.baseUrl, vendor: "anthropic" });
  responseOf(await askAll(provider, { model: "anthropic/claude-sonnet-4-5" }));
  assert.equal(server.requests[0]?.body.model, "claude-sonnet-4-5");
});

Deno.test.each<[string, string, string, (sent: string) => boolean]>([
  [
    "the temperature",
    "`temperature` is deprecated for this model",
    "claude-next",
    (sent) => sent.includes('"temperature"'),
  ],
  [
    "a budget for thoughts",
    "thinking.type.enabled is not supported for this model, use adaptive",
    "claude-next",
    (sent) => sent.includes("budget_tokens"),
  ],
  [
    "marks for the cache",
    "messages.0.cache_control: Extra inputs are not permitted",
    "claude-copy",
    (sent) => sent.includes("cache_control"),
  ],
  ["thoughts", "unknown field: thinking", "claude-copy", (sent) => sent.includes('"thinking":{')],
])("AnthropicProvider does without %s once that was refused", async (...row) => {
  const [, message, model, isRefused] = row;
  await using server = await ModelServer.start(({ body }) =>
    isRefused(JSON.stringify(body)) ? refuse(400, { message }) : say("a")
  );
  const provider = connect({ baseUrl: server.baseUrl, vendor: "anthropic" });
  for (let call = 0; call < 2; call++) {
    responseOf(await askAll(provider, { model, reasoningEffort: "high" }));
  }
  assert.equal(server.requests.length, 3);
});
