/**
 * What answers look like, whatever protocol they came in.
 * @module
 */

import assert from "node:assert/strict";
import type { ChatEvent } from "../../../providers/provider.ts";
import { callTool, callTools, say, type StreamStep } from "../../simulators/model_server.ts";
import { responseOf } from "../../support/chat.ts";
import type { Contract } from "./harness.ts";

/** Chunks of the longest answer here; each is folded and forgotten. */
const MANY = 20_000;

/** Text, reasoning, usage. */
export function testText(contract: Contract): void {
  contract.test("gives text as it comes, then the whole", async (world) => {
    const events = await world.answer(say("Hel", "lo, ", "世界 👋"));
    assert.equal(textOf(events), "Hello, 世界 👋");
    assert.partialDeepStrictEqual(responseOf(events), {
      content: "Hello, 世界 👋",
      calls: [],
      finishReason: "stop",
      usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
      reasoning: null,
    });
  });

  contract.test("gives reasoning apart from text", async (world) => {
    const events = await world.answer({
      steps: [
        { type: "reasoning", text: "let me " },
        { type: "reasoning", text: "see" },
        { type: "text", text: "42" },
      ],
    });
    const thoughts = events.map((event) => event.type === "reasoning" ? event.text : "");
    assert.equal(thoughts.join(""), "let me see");
    assert.equal(textOf(events), "42");
    assert.partialDeepStrictEqual(responseOf(events), { content: "42", reasoning: "let me see" });
  });

  contract.test("tells that an answer was cut off at its limit", async (world) => {
    const steps: readonly StreamStep[] = [
      { type: "text", text: "half" },
      { type: "finish", reason: "length" },
    ];
    const response = responseOf(await world.answer({ steps }));
    assert.partialDeepStrictEqual(response, { content: "half", finishReason: "length" });
  });

  contract.test("gives an answer without a word as one", async (world) => {
    const steps: readonly StreamStep[] = [{ type: "finish", reason: "stop" }];
    assert.partialDeepStrictEqual(responseOf(await world.answer({ steps })), {
      content: null,
      calls: [],
      finishReason: "stop",
    });
  });

  contract.test("reads over comments and keep-alives", async (world) => {
    const events = await world.answer({
      steps: [
        { type: "raw", text: ": PROCESSING\n\n" },
        { type: "text", text: "a" },
        { type: "raw", text: ":\r\n\r\n" },
        { type: "text", text: "b" },
      ],
    });
    assert.equal(responseOf(events).content, "ab");
  });

  contract.test("reads an answer in many pieces", async (world) => {
    const events = await world.answer(say(...Array.from({ length: MANY }, (_, i) => `${i % 10}`)));
    const { content } = responseOf(events);
    assert.equal(content?.length, MANY);
    assert.equal(textOf(events), content);
  });
}

/** Calls of tools. */
export function testCalls(contract: Contract): void {
  contract.test("gives the calls of the model in their order", async (world) => {
    const reply = callTools([
      { name: "read", parameters: { path: "é" }, id: "call_1" },
      { name: "pwd", parameters: {}, id: "call_2" },
    ], { text: "Let me look." });
    const { calls, content, finishReason } = responseOf(await world.answer(reply));
    assert.equal(content, "Let me look.");
    assert.equal(finishReason, "tool_calls");
    assert.deepEqual(calls, [
      {
        call: {
          id: "call_1",
          type: "function",
          function: { name: "read", arguments: '{"path":"é"}' },
        },
        parsed: { state: "ok", value: { path: "é" } },
      },
      {
        call: { id: "call_2", type: "function", function: { name: "pwd", arguments: "{}" } },
        parsed: { state: "ok", value: {} },
      },
    ]);
  });

  contract.test("tells calls apart whose pieces take turns", async (world) => {
    const steps: readonly StreamStep[] = [
      { type: "calls", deltas: [{ index: 0, id: "a", name: "f", arguments: '{"x"' }] },
      { type: "calls", deltas: [{ index: 1, id: "b", name: "g", arguments: '{"y"' }] },
      { type: "calls", deltas: [{ index: 0, arguments: ":1}" }] },
      { type: "calls", deltas: [{ index: 1, arguments: ":2}" }] },
    ];
    const { calls } = responseOf(await world.answer({ steps }));
    assert.deepEqual(calls.map(({ parsed }) => parsed), [
      { state: "ok", value: { x: 1 } },
      { state: "ok", value: { y: 2 } },
    ]);
  });

  contract.test("gives calls without an id, or with one twice, ids of their own", async (world) => {
    const steps: readonly StreamStep[] = [
      { type: "calls", deltas: [{ index: 0, id: "a", name: "f", arguments: "{}" }] },
      { type: "calls", deltas: [{ index: 1, id: "a", name: "g", arguments: "{}" }] },
      { type: "calls", deltas: [{ index: 2, name: "h", arguments: "{}" }] },
    ];
    const { calls } = responseOf(await world.answer({ steps }));
    const ids = calls.map(({ call }) => call.id);
    assert.equal(new Set(ids).size, 3);
    assert.ok(ids.every((id) => id !== ""));
  });

  contract.test("takes no arguments for an empty object", async (world) => {
    const steps: readonly StreamStep[] = [
      { type: "calls", deltas: [{ index: 0, id: "a", name: "pwd" }] },
    ];
    const [requested] = responseOf(await world.answer({ steps })).calls;
    assert.deepEqual(requested?.parsed, { state: "ok", value: {} });
  });

  contract.test("never repairs arguments that are no JSON", async (world) => {
    const steps: readonly StreamStep[] = [
      { type: "calls", deltas: [{ index: 0, id: "a", name: "write", arguments: '{"text":"ha' }] },
      { type: "finish", reason: "length" },
    ];
    const { calls, finishReason } = responseOf(await world.answer({ steps }));
    assert.equal(finishReason, "length");
    assert.equal(calls[0]?.parsed.state, "invalid");
    assert.equal(calls[0]?.call.function.arguments, '{"text":"ha');
  });

  contract.test("reads the whole answer of a server that does not stream", async (world) => {
    const reply = callTool("read", { path: "a" }, { text: "Look:" });
    const events = await world.answer({ ...reply, isWhole: true });
    const { content, calls } = responseOf(events);
    assert.equal(content, "Look:");
    assert.equal(textOf(events), "Look:");
    assert.deepEqual(calls.map(({ parsed }) => parsed), [{ state: "ok", value: { path: "a" } }]);
  });
}

/** All text that was shown. */
export function textOf(events: readonly ChatEvent[]): string {
  return events.map((event) => event.type === "text" ? event.text : "").join("");
}
