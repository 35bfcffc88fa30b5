import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../actors/kernel/json.ts";
import { AnswerFold } from "../../providers/openai/fold.ts";
import type { ChatResponse, RequestedCall } from "../../providers/provider.ts";

function newFold(answersInReasoning = false): AnswerFold {
  let made = 0;
  return new AnswerFold({
    newCallId: () => `new_${++made}`,
    toolName: (name) => name,
    isTool: (name) => name === "read",
    answersInReasoning,
  });
}

function fold(chunks: readonly unknown[], options: { answersInReasoning?: boolean } = {}) {
  const answer = newFold(options.answersInReasoning);
  for (const chunk of chunks) {
    const folded = answer.add(chunk);
    if (folded.state === "fault") return folded;
  }
  return answer.finish(true);
}

function responseOf(chunks: readonly unknown[], options = {}): ChatResponse {
  const result = fold(chunks, options);
  assert.ok(result.state === "ok" && "response" in result, JSON.stringify(result));
  return result.response;
}

function chunk(delta: JsonObject, finishReason: string | null = null, index = 0): JsonObject {
  return { choices: [{ index, delta, finish_reason: finishReason }] };
}

function calls(deltas: readonly JsonObject[], finishReason = "tool_calls") {
  const chunks = deltas.map((delta) => chunk({ tool_calls: [delta] }));
  return responseOf([...chunks, chunk({}, finishReason)]).calls;
}

function brief({ call, parsed }: RequestedCall) {
  return [call.id, call.function.name, parsed.state === "ok" ? parsed.value : parsed.problem];
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

const STOP = chunk({}, "stop");

Deno.test.each<[string, readonly unknown[], Partial<ChatResponse>]>([
  ["strings", ["Hel", "lo", STOP], { content: "Hello" }],
  ["text", [chunk({ content: "a" }), chunk({ content: "b" }), STOP], {
    content: "ab",
    reasoning: null,
  }],
  ["reasoning_content", [chunk({ reasoning_content: "r" }), chunk({ content: "a" }), STOP], {
    content: "a",
    reasoning: "r",
  }],
  ["reasoning", [chunk({ reasoning: "r" }), chunk({ content: "a" }), STOP], { reasoning: "r" }],
  ["both kinds", [chunk({ reasoning_content: "x", reasoning: "y" }), STOP], { reasoning: "x" }],
  ["text without choices", [{ choices: [], output_text: "a" }, STOP], { content: "a" }],
  ["thinking blocks", [
    chunk({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "r" }] },
        { type: "text", text: "a" },
      ],
    }),
    STOP,
  ], { content: "a", reasoning: "r" }],
  ["a refusal", [chunk({ refusal: "No." }), STOP], { content: "No.", finishReason: "refusal" }],
  ["a last chunk with all", [{
    ...chunk({ content: "a" }, "length"),
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  }], {
    content: "a",
    finishReason: "length",
    usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 },
  }],
  ["a whole completion", [{
    choices: [{ message: { content: "a", reasoning_content: "r" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  }], { content: "a", reasoning: "r" }],
  ["a whole text", [{ output_text: "a", finish_reason: "stop" }], { content: "a" }],
  ["nothing but an end", [STOP], { content: null, finishReason: "stop" }],
  ["no end but the server's word", [chunk({ content: "a" })], {
    content: "a",
    finishReason: "stop",
  }],
])("AnswerFold reads %s", (_, chunks, expected) => {
  assert.partialDeepStrictEqual(responseOf(chunks), expected);
});

Deno.test.each([
  ["end_turn", "stop"],
  ["function_call", "tool_calls"],
  ["content_filter", "content_filter"],
  ["sensitive", "content_filter"],
  ["max_tokens", "length"],
  ["model_is_tired", "other"],
])("AnswerFold reads the finish reason %s as %s", (reason, expected) => {
  assert.equal(responseOf([chunk({ content: "a" }, reason)]).finishReason, expected);
});

Deno.test("AnswerFold takes reasoning for the answer only where the vendor does so", () => {
  const chunks = [chunk({ reasoning: "the answer" }), STOP];
  assert.equal(responseOf(chunks).content, null);
  const response = responseOf(chunks, { answersInReasoning: true });
  assert.equal(response.content, "the answer");
  assert.equal(response.reasoning, "the answer");
});

Deno.test("AnswerFold finds the calls that stand in a second choice", () => {
  const response = responseOf([
    chunk({ content: "Let me look." }, "stop"),
    chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "{}" } }] }),
    chunk({}, "tool_calls", 1),
    chunk(
      { tool_calls: [{ index: 0, id: "b", function: { name: "g", arguments: "{}" } }] },
      null,
      1,
    ),
  ]);
  assert.equal(response.content, "Let me look.");
  assert.deepEqual(response.calls.map(({ call }) => call.function.name), ["f", "g"]);
  assert.equal(response.finishReason, "tool_calls");
});

Deno.test.each<[string, readonly JsonObject[], readonly unknown[]]>([
  ["split arguments", [
    { index: 0, id: "a", function: { name: "f", arguments: "" } },
    { index: 0, function: { arguments: '{"x"' } },
    { index: 0, function: { arguments: ":1}" } },
  ], [["a", "f", { x: 1 }]]],
  ["calls that take turns", [
    { index: 0, id: "a", function: { name: "f", arguments: "{" } },
    { index: 1, id: "b", function: { name: "g", arguments: "{" } },
    { index: 0, function: { arguments: "}" } },
    { index: 1, function: { arguments: "}" } },
  ], [["a", "f", {}], ["b", "g", {}]]],
  ["id and name repeated with each piece", [
    { index: 0, id: "a", function: { name: "f", arguments: '{"x"' } },
    { index: 0, id: "a", function: { name: "f", arguments: ":1}" } },
  ], [["a", "f", { x: 1 }]]],
  ["whole calls without an index", [
    { id: "a", function: { name: "f", arguments: '{"x":1}' } },
    { id: "b", function: { name: "f", arguments: '{"x":2}' } },
  ], [["a", "f", { x: 1 }], ["b", "f", { x: 2 }]]],
  ["whole calls with neither index nor id", [
    { function: { name: "f", arguments: '{"x":1}' } },
    { function: { name: "f", arguments: '{"x":2}' } },
  ], [["new_1", "f", { x: 1 }], ["new_2", "f", { x: 2 }]]],
  ["split calls with neither index nor id", [
    { function: { name: "f", arguments: '{"x"' } },
    { function: { arguments: ":1}" } },
    { function: { name: "g", arguments: "" } },
    { function: { arguments: "{}" } },
  ], [["new_1", "f", { x: 1 }], ["new_2", "g", {}]]],
  ["parallel calls that all say index 0", [
    { index: 0, id: "a", function: { name: "f", arguments: '{"x":1}' } },
    { index: 0, id: "b", function: { name: "g", arguments: '{"y":2}' } },
  ], [["a", "f", { x: 1 }], ["b", "g", { y: 2 }]]],
  ["a new id with each piece of one call", [
    { index: 0, id: "a", function: { name: "f", arguments: '{"x"' } },
    { index: 0, id: "b", function: { arguments: ":1}" } },
  ], [["a", "f", { x: 1 }]]],
  ["one id for two calls", [
    { index: 0, id: "a", function: { name: "f", arguments: "{}" } },
    { index: 1, id: "a", function: { name: "g", arguments: "{}" } },
  ], [["a", "f", {}], ["new_1", "g", {}]]],
  ["arguments as an object", [
    { index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } },
  ], [["a", "f", { x: 1 }]]],
  ["no arguments", [{ index: 0, id: "a", function: { name: "f" } }], [["a", "f", {}]]],
  ["blank arguments", [
    { index: 0, id: "a", function: { name: "f", arguments: " " } },
  ], [["a", "f", {}]]],
  ["arguments that are cut", [
    { index: 0, id: "a", function: { name: "f", arguments: '{"x":"1' } },
  ], [["a", "f", "The arguments are not valid JSON: the output was cut off"]]],
  ["arguments that are no JSON", [
    { index: 0, id: "a", function: { name: "f", arguments: "{'x': 1}" } },
  ], [["a", "f", "The arguments are not valid JSON"]]],
  ["arguments that are no object", [
    { index: 0, id: "a", function: { name: "f", arguments: "[1]" } },
  ], [["a", "f", "The arguments are no JSON object"]]],
  ["arguments that are nested without end", [
    { index: 0, id: "a", function: { name: "f", arguments: `{"x":${nested(10_000)}}` } },
  ], [["a", "f", "The arguments are nested too deep"]]],
  ["no name", [
    { index: 0, id: "a", function: { arguments: "{}" } },
  ], [["a", "unnamed", "The call names no tool"]]],
])("AnswerFold tells calls apart given %s", (_, deltas, expected) => {
  assert.deepEqual(calls(deltas).map(brief), expected);
});

Deno.test("AnswerFold says that calls were cut off when the answer was", () => {
  const delta = { index: 0, id: "a", function: { name: "f", arguments: '{"x":1}}' } };
  assert.deepEqual(calls([delta], "length").map(brief), [
    ["a", "f", "The arguments are not valid JSON: the output was cut off"],
  ]);
});

Deno.test("AnswerFold keeps the text of arguments as the model wrote it", () => {
  const text = '{ "x" : "\\u00e9" }';
  const [requested] = calls([{ index: 0, id: "a", function: { name: "f", arguments: text } }]);
  assert.equal(requested?.call.function.arguments, text);
});

Deno.test("AnswerFold keeps what a vendor must get back with a call", () => {
  const extra = { google: { thought_signature: "s" } };
  const [requested] = calls([
    { index: 0, id: "a", function: { name: "f", arguments: "{}" }, extra_content: extra },
  ]);
  assert.deepEqual(requested?.call.extra_content, extra);
});

Deno.test("AnswerFold reads a call in the old form", () => {
  const response = responseOf([
    chunk({ function_call: { name: "f", arguments: '{"x"' } }),
    chunk({ function_call: { arguments: ":1}" } }, "function_call"),
  ]);
  assert.deepEqual(response.calls.map(brief), [["new_1", "f", { x: 1 }]]);
  assert.equal(response.finishReason, "tool_calls");
});

Deno.test("AnswerFold counts calls under stop as tool calls", () => {
  const delta = { index: 0, id: "a", function: { name: "f", arguments: "{}" } };
  assert.equal(
    responseOf([chunk({ tool_calls: [delta] }), STOP]).finishReason,
    "tool_calls",
  );
});

Deno.test.each<[JsonObject, number | undefined]>([
  [{ prompt_tokens: 2000, prompt_tokens_details: { cached_tokens: 1200 } }, 1200],
  [{ prompt_tokens: 2000, prompt_cache_hit_tokens: 1200 }, 1200],
  [{ prompt_tokens: 2000, cached_tokens: 512 }, 512],
  [{ prompt_tokens: 2000, cached_tokens: 500, prompt_tokens_details: { cached_tokens: 100 } }, 100],
  [{ prompt_tokens: 2000, prompt_tokens_details: { cached_tokens: 0 } }, undefined],
  [{ prompt_tokens: 2000 }, undefined],
])("AnswerFold reads cached tokens of %j as %s", (usage, expected) => {
  const response = responseOf([{ ...STOP, usage }]);
  assert.equal(response.usage?.cachedTokens, expected);
  assert.equal(response.usage !== null && "cachedTokens" in response.usage, expected !== undefined);
});

Deno.test("AnswerFold adds the total up when the vendor does not, and keeps reasoning tokens", () => {
  const usage = {
    prompt_tokens: 3,
    completion_tokens: 4,
    completion_tokens_details: { reasoning_tokens: 2 },
  };
  assert.deepEqual(responseOf([{ choices: [{ delta: {}, finish_reason: "stop", usage }] }]).usage, {
    promptTokens: 3,
    completionTokens: 4,
    totalTokens: 7,
    reasoningTokens: 2,
  });
});

Deno.test("AnswerFold has no usage where none was sent", () => {
  assert.equal(responseOf([STOP]).usage, null);
});

Deno.test.each<[string, readonly unknown[]]>([
  ["nothing", []],
  ["no choices", [{ choices: [] }]],
  ["an error", [{ error: { message: "boom", code: 502 } }]],
  ["MiniMax's error", [{ base_resp: { status_code: 1004, status_msg: "login fail" } }]],
  ["a failed choice", [chunk({ content: "a" }), chunk({}, "error")]],
])("AnswerFold takes %s for a fault", (_, chunks) => {
  assert.equal(fold(chunks).state, "fault");
});

Deno.test("AnswerFold takes a stream for broken that ends without a word of the server", () => {
  const answer = newFold();
  answer.add(chunk({ content: "half an ans" }));
  const result = answer.finish(false);
  assert.equal(result.state === "fault" && result.fault.failure, "provider_connection");
});

Deno.test("AnswerFold gives the same response however the pieces are cut", () => {
  const pieces = fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 4 });
  const cuts = fc.array(fc.nat({ max: 6 }), { maxLength: 30 });
  fc.assert(
    fc.property(fc.string(), fc.string(), pieces, cuts, (content, reasoning, args, cuts) => {
      const texts = args.map((x) => JSON.stringify({ x }));
      const whole = responseOf([
        chunk({ content, reasoning_content: reasoning }),
        ...texts.map((text, index) =>
          chunk({
            tool_calls: [{ index, id: `id${index}`, function: { name: "f", arguments: text } }],
          })
        ),
        STOP,
      ]);
      const cut = cutter(cuts);
      const inPieces = responseOf([
        ...cut(reasoning).map((piece) => chunk({ reasoning_content: piece })),
        ...cut(content).map((piece) => chunk({ content: piece })),
        ...texts.flatMap((text, index) => [
          chunk({ tool_calls: [{ index, id: `id${index}`, function: { name: "f" } }] }),
          ...cut(text).map((piece) =>
            chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
          ),
        ]),
        STOP,
      ]);
      assert.deepEqual(inPieces, whole);
    }),
  );
});

/** Cuts texts into pieces whose lengths come from `lengths`, again and again. */
function cutter(lengths: readonly number[]): (text: string) => readonly string[] {
  let next = 0;
  return (text) => {
    const pieces: string[] = [];
    let rest = text;
    while (rest !== "") {
      const length = 1 + (lengths[next++ % Math.max(1, lengths.length)] ?? 0);
      pieces.push(rest.slice(0, length));
      rest = rest.slice(length);
    }
    return pieces;
  };
}
