/**
 * What reaches the model of a conversation, whatever protocol it goes in.
 * @module
 */

import assert from "node:assert/strict";
import type { ChatMessage, ToolDefinition } from "../../../providers/provider.ts";
import { callTools, say } from "../../simulators/model_server.ts";
import { responseOf } from "../../support/chat.ts";
import type { Contract } from "./harness.ts";

const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
const image = {
  type: "image_url",
  image_url: { url: `data:image/png;base64,${PICTURE}` },
  _meta: { path: "/home/me/secret-folder/a.png" },
} as const;

const TOOLS: readonly ToolDefinition[] = [{
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
}];

/** A conversation with everything that can stand in one. */
const CONVERSATION: readonly ChatMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: [image, { type: "text", text: "What is this?" }] },
  {
    role: "assistant",
    content: "Let me look.",
    reasoning_content: "hm",
    tool_calls: [
      {
        id: "functions.read:0",
        type: "function",
        function: { name: "read", arguments: '{"p":1}' },
      },
      { id: "functions.read:0", type: "function", function: { name: "read", arguments: '{"p":2' } },
    ],
  },
  { role: "tool", tool_call_id: "functions.read:0", name: "read", content: "first result" },
  {
    role: "tool",
    tool_call_id: "functions.read:0",
    name: "read",
    content: [{ type: "text", text: "second result" }, image],
  },
  { role: "user", content: "And?" },
];

/** Messages, tools, images, ids. */
export function testRequests(contract: Contract): void {
  contract.test("sends all of a conversation and nothing private", async (world) => {
    responseOf(await world.answer(say("x"), { messages: CONVERSATION, tools: TOOLS }));
    for (
      const piece of [
        "Be brief.",
        "What is this?",
        "Let me look.",
        "first result",
        "second result",
        "And?",
        "Reads a file.",
      ]
    ) assert.equal(world.sent.split(piece).length - 1, 1, `${piece} in ${world.sent}`);
    assert.equal(world.sent.split(PICTURE).length - 1, 2, "both pictures are sent");
    assert.doesNotMatch(world.sent, /secret-folder|_meta/);
  });

  contract.test("keeps each result at its call", async (world) => {
    responseOf(await world.answer(say("x"), { messages: CONVERSATION, tools: TOOLS }));
    const ids = [...world.sent.matchAll(/"(?:tool_call_id|tool_use_id|call_id|id)":"([^"]+)"/g)]
      .map(([, id]) => id);
    const [first, second, ...results] = ids.slice(0, 4);
    if (results.length < 2) return assert.equal(ids.length, 4);
    assert.notEqual(first, second);
    assert.deepEqual(ids.toSorted(), [first, first, second, second].toSorted());
  });

  contract.test("never changes what it is given", async (world) => {
    const messages = structuredClone(CONVERSATION);
    responseOf(await world.answer(say("x"), { messages, tools: TOOLS }));
    assert.deepEqual(messages, CONVERSATION);
  });

  contract.test("takes its own answers back", async (world) => {
    const reply = callTools([{ name: "read", parameters: { path: "a" }, id: "c1" }], {
      text: "Let me look.",
    });
    const withThoughts = { steps: [{ type: "reasoning", text: "hm" } as const, ...reply.steps] };
    const { content, calls, reasoning, thinkingBlocks } = responseOf(
      await world.answer(withThoughts, { tools: TOOLS, reasoningEffort: "high" }),
    );
    const messages: readonly ChatMessage[] = [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content,
        tool_calls: calls.map(({ call }) => call),
        ...(reasoning !== null && { reasoning_content: reasoning }),
        thinking_blocks: thinkingBlocks,
      },
      { role: "tool", tool_call_id: "c1", name: "read", content: "found" },
    ];
    const request = { messages, tools: TOOLS, reasoningEffort: "high" };
    assert.equal(responseOf(await world.answer(say("done"), request)).content, "done");
    assert.doesNotMatch(world.sent, /_meta|"origin"/);
  });

  contract.test("sends nothing of the environment or of this machine", async (world) => {
    for (const [name, value] of Object.entries(LEAKS)) Deno.env.set(name, value);
    try {
      responseOf(await world.answer(say("x")));
    } finally {
      for (const name of Object.keys(LEAKS)) Deno.env.delete(name);
    }
    const headers = JSON.stringify(world.lastRequest?.headers);
    assert.doesNotMatch(headers, /leak|stainless/);
    assert.match(headers, /my-proxy-secret/);
  });

  contract.test("sends the names of tools as all vendors take them, and maps them back", async (world) => {
    const tools: readonly ToolDefinition[] = [
      { name: "1st.tool", description: "", parameters: {} },
      { name: "x".repeat(80), description: "", parameters: {} },
    ];
    world.server.push(callTools([
      { name: "_1st_tool", parameters: {} },
      { name: "x".repeat(64), parameters: {}, id: "c2" },
    ]));
    const { calls } = responseOf(
      await Array.fromAsync(
        world.provider.chat({ ...BASE, tools }, new AbortController().signal),
      ),
    );
    assert.deepEqual(calls.map(({ call }) => call.function.name), ["1st.tool", "x".repeat(80)]);
  });
}

/** Variables that SDKs read when they are let. */
const LEAKS = {
  OPENAI_API_KEY: "leak-key",
  OPENAI_ADMIN_KEY: "leak-admin",
  OPENAI_BASE_URL: "http://127.0.0.1:1",
  OPENAI_ORG_ID: "leak-org",
  OPENAI_PROJECT_ID: "leak-project",
  OPENAI_CUSTOM_HEADERS: "X-Leak: leak-custom\nAuthorization: leak-auth",
  ANTHROPIC_API_KEY: "leak-key",
  ANTHROPIC_AUTH_TOKEN: "leak-token",
  ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
  ANTHROPIC_CUSTOM_HEADERS: "X-Leak: leak-custom",
};

const BASE = {
  model: "test-model",
  messages: [{ role: "user", content: "hi" }],
  tokensMax: 1_000,
  temperature: 0.1,
  reasoningEffort: null,
  conversationId: "cli:direct",
} as const;
