import assert from "node:assert/strict";
import fc from "fast-check";
import type { ChatMessage } from "../../providers/provider.ts";
import {
  estimateMessageTokens,
  estimatePromptTokens,
  estimateTextTokens,
  TOKENS_PER_IMAGE,
  TOKENS_PER_MESSAGE,
} from "../../providers/tokens.ts";

Deno.test.each([
  ["nothing", 0, ""],
  ["a short word", 1, "abcd"],
  ["400 letters", 100, "a".repeat(400)],
  ["four Han characters", 4, "你好世界"],
  ["100 Han characters", 90, "你".repeat(100)],
  ["100 Cyrillic letters", 50, "ж".repeat(100)],
  ["a tokenizer's own word", 4, "<|endoftext|>"],
])("estimateTextTokens takes %s for %s", (_, expected, text) => {
  assert.equal(estimateTextTokens(text), expected);
});

Deno.test("estimateMessageTokens counts an image as the same, however large", () => {
  const message = (bytes: number): ChatMessage => ({
    role: "user",
    content: [
      { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(bytes)}` } },
      { type: "text", text: "abcd" },
    ],
  });
  assert.equal(estimateMessageTokens(message(10)), TOKENS_PER_MESSAGE + TOKENS_PER_IMAGE + 1);
  assert.equal(estimateMessageTokens(message(1_000_000)), estimateMessageTokens(message(10)));
});

Deno.test("estimateMessageTokens counts calls, reasoning and results", () => {
  const bare: ChatMessage = { role: "assistant", content: null };
  const full: ChatMessage = {
    role: "assistant",
    content: null,
    reasoning_content: "hm",
    tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
  };
  assert.equal(estimateMessageTokens(bare), TOKENS_PER_MESSAGE);
  assert.ok(estimateMessageTokens(full) > estimateMessageTokens(bare) + 10);
  const result: ChatMessage = { role: "tool", tool_call_id: "1", name: "f", content: "abcd" };
  assert.equal(estimateMessageTokens(result), TOKENS_PER_MESSAGE + 3);
});

Deno.test("estimatePromptTokens adds the tools up with the messages", () => {
  const message: ChatMessage = { role: "user", content: "abcd" };
  assert.equal(estimatePromptTokens([message, message], []), 2 * (TOKENS_PER_MESSAGE + 1));
  const tools = [{ name: "f", description: "d", parameters: { type: "object" } }];
  assert.ok(estimatePromptTokens([message], tools) > TOKENS_PER_MESSAGE + 1);
});

Deno.test("estimateTextTokens grows with the text and stays below a token a character", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
    const whole = estimateTextTokens(a + b);
    assert.ok(whole >= estimateTextTokens(a));
    assert.ok(whole <= a.length + b.length);
  }));
});
