import assert from "node:assert/strict";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { ToolNames } from "../../providers/messages/tool_names.ts";
import type {
  AssistantMessage,
  ChatMessage,
  ChatResponse,
  RequestedCall,
} from "../../providers/provider.ts";
import { toInput } from "../../providers/responses/input.ts";
import { ResponseFold } from "../../providers/responses/fold.ts";
import { type ModelReply, ModelServer, refuse, say } from "../simulators/model_server.ts";
import { askAll, errorOf, responseOf } from "../support/chat.ts";
import { connect } from "../support/providers.ts";

const ORIGIN = "openai@api.openai.com/gpt-5";

function render(messages: readonly ChatMessage[]) {
  return toInput(messages, { tools: new ToolNames([]), reasoningFrom: ORIGIN });
}

function called(...ids: readonly string[]): AssistantMessage {
  return {
    role: "assistant",
    content: null,
    tool_calls: ids.map((id) => ({
      id,
      type: "function",
      function: { name: "f", arguments: '{"x":1}' },
    })),
  };
}

function result(id: string, content: string): ChatMessage {
  return { role: "tool", tool_call_id: id, name: "f", content };
}

Deno.test("Responses' input has all standing instructions apart (RSI-03)", () => {
  const { instructions, input } = render([
    { role: "system", content: "One." },
    { role: "system", content: "Two." },
    { role: "user", content: "a" },
  ]);
  assert.equal(instructions, "One.\n\nTwo.");
  assert.deepEqual(input, [{ role: "user", content: [{ type: "input_text", text: "a" }] }]);
});

Deno.test("Responses' input has text and images of a user in their order (RSI-02)", () => {
  const url = "data:image/png;base64,AA";
  const content = [
    { type: "image_url", image_url: { url }, _meta: { path: "/secret" } },
    { type: "text", text: "a" },
  ] as const;
  assert.deepEqual(render([{ role: "user", content }]).input, [{
    role: "user",
    content: [
      { type: "input_image", image_url: url, detail: "auto" },
      { type: "input_text", text: "a" },
    ],
  }]);
});

Deno.test("Responses' input has text, calls and results as items (RSI-04, 05, 07)", () => {
  const { input } = render([
    { role: "user", content: "q" },
    { ...called("call_1"), content: "Let me look." },
    result("call_1", "out"),
    { role: "user", content: "more" },
  ]);
  assert.deepEqual(input.slice(1, 4), [
    {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "Let me look." }],
    },
    { type: "function_call", call_id: "call_1", name: "f", arguments: '{"x":1}' },
    { type: "function_call_output", call_id: "call_1", output: "out" },
  ]);
});

Deno.test("Responses' input gives each call an id of its own, the same at its result (RSI-01)", () => {
  const { input } = render([
    called("call_abc|fc_1", "a", ""),
    result("call_abc|fc_1", "1"),
    result("a", "2"),
    result("", "3"),
    called("a"),
    result("a", "4"),
  ]);
  const ids = input.map(({ call_id: id }) => String(id));
  assert.ok(ids.every((id) => /^[\w-]{1,64}$/.test(id)), ids.join());
  assert.deepEqual(ids.slice(0, 3), ids.slice(3, 6));
  assert.equal(ids[6], ids[7]);
  assert.equal(new Set(ids).size, 4);
});

function fold(events: readonly unknown[]): ChatResponse {
  const answer = newFold();
  for (const event of events) {
    const folded = answer.add(event);
    assert.equal(folded.state, "ok", JSON.stringify(folded));
  }
  const result = answer.finish(answer.isComplete);
  assert.equal(result.state, "ok", JSON.stringify(result));
  return result.response;
}

function newFold(): ResponseFold {
  let made = 0;
  return new ResponseFold({
    newCallId: () => `new_${++made}`,
    toolName: (name) => name,
    origin: ORIGIN,
  });
}

function brief({ call, parsed }: RequestedCall) {
  return [call.id, call.function.name, parsed.state === "ok" ? parsed.value : parsed.problem];
}

function end(response: JsonObject = {}, type = "response.completed"): JsonObject {
  return { type, response };
}

const CALL_ITEM = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f" };

Deno.test("ResponseFold joins the text (RSS-01)", () => {
  const delta = (delta: string) => ({ type: "response.output_text.delta", output_index: 0, delta });
  assert.partialDeepStrictEqual(fold([delta("a"), delta("b"), end()]), {
    content: "ab",
    finishReason: "stop",
  });
});

Deno.test.each<[string, readonly JsonObject[]]>([
  ["pieces and their end (RSS-02)", [
    { type: "response.output_item.added", output_index: 0, item: { ...CALL_ITEM, arguments: "" } },
    {
      type: "response.function_call_arguments.delta",
      item_id: "fc_1",
      output_index: 0,
      delta: '{"x"',
    },
    {
      type: "response.function_call_arguments.done",
      item_id: "fc_1",
      output_index: 0,
      arguments: '{"x":1}',
    },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { ...CALL_ITEM, arguments: '{"x":1}' },
    },
  ]],
  ["pieces that name the item only", [
    { type: "response.output_item.added", item: { ...CALL_ITEM, arguments: "" } },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: '{"x"' },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: ":1}" },
  ]],
  ["the item alone", [
    { type: "response.output_item.done", item: { ...CALL_ITEM, arguments: '{"x":1}' } },
  ]],
  ["arguments as an object (RSP-11)", [
    { type: "response.output_item.done", item: { ...CALL_ITEM, arguments: { x: 1 } } },
  ]],
])("ResponseFold reads a call from %s", (_, events) => {
  const { calls, finishReason, content } = fold([...events, end()]);
  assert.deepEqual(calls.map(brief), [["call_1", "f", { x: 1 }]]);
  assert.equal(finishReason, "tool_calls");
  assert.equal(content, null);
});

Deno.test("ResponseFold never repairs arguments (RSP-12, RSS-06)", () => {
  const item = { ...CALL_ITEM, arguments: "{bad json" };
  const { calls } = fold([{ type: "response.output_item.done", item }, end()]);
  assert.equal(calls[0]?.parsed.state, "invalid");
  assert.equal(calls[0]?.call.function.arguments, "{bad json");
});

Deno.test("ResponseFold reads usage with what was cached and thought (RSS-03)", () => {
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 0,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens_details: { reasoning_tokens: 2 },
  };
  assert.deepEqual(fold([end({ usage })]).usage, {
    promptTokens: 10,
    completionTokens: 5,
    totalTokens: 15,
    cachedTokens: 4,
    reasoningTokens: 2,
  });
});

const REASONING = {
  id: "rs_1",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "one" }, { type: "summary_text", text: "two" }],
  encrypted_content: "sealed",
};

Deno.test("ResponseFold shows summaries and keeps what is sealed, without the server's id", () => {
  const { reasoning, thinkingBlocks } = fold([
    { type: "response.output_item.done", output_index: 0, item: REASONING },
    end(),
  ]);
  const { id: _, ...kept } = REASONING;
  assert.equal(reasoning, "one\n\ntwo");
  assert.deepEqual(thinkingBlocks, [{ ...kept, _meta: { origin: ORIGIN } }]);
});

Deno.test("ResponseFold parts the summaries that it streams", () => {
  const part = { type: "response.reasoning_summary_part.added", output_index: 0 };
  const delta = (delta: string) => ({
    type: "response.reasoning_summary_text.delta",
    output_index: 0,
    delta,
  });
  const events = [part, delta("one"), part, delta("two"), {
    type: "response.output_item.done",
    output_index: 0,
    item: REASONING,
  }, end()];
  assert.equal(fold(events).reasoning, "one\n\ntwo");
});

Deno.test.each<[string, unknown, Partial<ChatResponse>]>([
  ["text (RSP-10)", {
    status: "completed",
    output: [{ type: "message", content: [{ type: "output_text", text: "a" }] }],
  }, { content: "a" }],
  ["summaries (RSP-13, RSS-04)", { status: "completed", output: [REASONING] }, {
    reasoning: "one\n\ntwo",
  }],
  ["nothing (RSP-14)", { status: "completed", output: [] }, { content: null }],
  ["a cut (RSP-15)", {
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: [],
  }, { finishReason: "length" }],
  ["a filter", {
    status: "incomplete",
    incomplete_details: { reason: "content_filter" },
    output: [],
  }, { finishReason: "content_filter" }],
  ["a refusal", {
    status: "completed",
    output: [{ type: "message", content: [{ type: "refusal", refusal: "No." }] }],
  }, { content: "No.", finishReason: "refusal" }],
])("ResponseFold reads a whole response with %s", (_, response, expected) => {
  assert.partialDeepStrictEqual(fold([response]), expected);
  assert.partialDeepStrictEqual(fold([{ type: "response.completed", response }]), expected);
});

Deno.test.each<[string, unknown, RegExp]>([
  ["an error (RSS-05)", { type: "error", code: "server_error", message: "boom" }, /boom/],
  ["a nested error", { type: "error", error: { message: "boom" } }, /boom/],
  ["a failed response (RSS-05)", end({ error: { message: "boom" } }, "response.failed"), /boom/],
  ["a cancelled response", { status: "cancelled", output: [] }, /cancelled/],
])("ResponseFold takes %s for a fault", (_, event, text) => {
  const folded = newFold().add(event);
  assert.equal(folded.state, "fault");
  assert.match(folded.fault.text, text);
});

Deno.test("ResponseFold takes what it does not know for nothing", () => {
  const answer = newFold();
  for (const odd of [null, 1, "x", [], {}, { type: "response.new" }, { item: 1 }]) {
    assert.deepEqual(answer.add(odd), { state: "ok", text: "", reasoning: "" });
  }
  assert.equal(answer.isFinished, false);
});

Deno.test.each([
  [
    "temperature",
    "Unsupported parameter: 'temperature' is not supported with this model.",
    "gpt-x",
  ],
  [
    "reasoning",
    "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    "o3",
  ],
  ["include", "Encrypted content is not supported with this model.", "o3"],
])("ResponsesApi does without %s once that was refused", async (field, message, model) => {
  await using server = await ModelServer.start(({ body }) =>
    field in body ? refuse(400, { message }) : say("a")
  );
  const provider = connect({ baseUrl: server.baseUrl, vendor: "azure_openai" });
  const reasoningEffort = field === "temperature" ? null : "high";
  for (let call = 0; call < 2; call++) {
    responseOf(await askAll(provider, { model, reasoningEffort }));
  }
  assert.equal(server.requests.length, 3);
});

Deno.test("ResponsesApi asks for no summary where the account may not read one", async () => {
  const message = "Your organization must be verified to generate reasoning summaries.";
  await using server = await ModelServer.start((request) =>
    JSON.stringify(request.body).includes("summary") ? refuse(400, { message }) : say("a")
  );
  const provider = connect({ baseUrl: server.baseUrl, vendor: "azure_openai" });
  responseOf(await askAll(provider, { model: "o3", reasoningEffort: "high" }));
  assert.deepEqual(server.requests[1]?.body["reasoning"], { effort: "high" });
});

Deno.test("ResponsesApi forgets sealed reasoning that its server cannot open, for that conversation", async () => {
  await using server = await ModelServer.start(({ body }): ModelReply =>
    JSON.stringify(body["input"]).includes("sealed")
      ? refuse(400, { code: "invalid_encrypted_content", message: "Could not be verified" })
      : say("a")
  );
  const provider = connect({ baseUrl: server.baseUrl, vendor: "azure_openai" });
  const origin = `azure_openai@127.0.0.1:${server.port}/o3`;
  const sealed = { type: "reasoning", summary: [], encrypted_content: "sealed", _meta: { origin } };
  const messages: readonly ChatMessage[] = [
    { role: "user", content: "a" },
    { role: "assistant", content: "b", thinking_blocks: [sealed] },
    { role: "user", content: "c" },
  ];
  for (let call = 0; call < 2; call++) {
    responseOf(await askAll(provider, { model: "o3", messages }));
  }
  assert.equal(server.requests.length, 4);
});

Deno.test.each(["", "/", "/openai/v1", "/openai/v1/"])(
  "AzureOpenAiProvider finds the API below an address that ends with '%s' (AZU-01)",
  async (ending) => {
    await using server = await ModelServer.start([say("Hello", " world")]);
    const baseUrl = `http://127.0.0.1:${server.port}${ending}`;
    const provider = connect({ baseUrl, vendor: "azure_openai" });
    responseOf(await askAll(provider, { tokensMax: 0, temperature: 0.7 }));
    const [request] = server.requests;
    assert.equal(request?.path, "/openai/v1/responses");
    assert.equal(request?.headers["api-key"], "the-key");
    assert.partialDeepStrictEqual(request?.body, {
      temperature: 0.7,
      max_output_tokens: 1,
      store: false,
      instructions: null,
    });
    assert.ok(!("reasoning" in (request?.body ?? {})));
  },
);

Deno.test("AzureOpenAiProvider asks to think, and then for no temperature (AZU-07)", async () => {
  await using server = await ModelServer.start([say("a")]);
  const provider = connect({ baseUrl: server.baseUrl, vendor: "azure_openai" });
  const tools = [{ name: "f", description: "", parameters: {} }];
  responseOf(await askAll(provider, { tools, reasoningEffort: "medium" }));
  const body = server.requests[0]?.body ?? {};
  assert.partialDeepStrictEqual(body, {
    reasoning: { effort: "medium" },
    include: ["reasoning.encrypted_content"],
    tool_choice: "auto",
    tools: [{
      type: "function",
      name: "f",
      description: "",
      parameters: { type: "object", properties: {} },
    }],
  });
  assert.ok(!("temperature" in body));
});

Deno.test("AzureOpenAiProvider fails as the others do (AZU-08)", async () => {
  await using server = await ModelServer.start([refuse(401, { message: "no" })]);
  const provider = connect({ baseUrl: server.baseUrl, vendor: "azure_openai" });
  assert.equal(errorOf(await askAll(provider)).code, "provider_auth");
});
