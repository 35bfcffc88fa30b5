/**
 * Conversations that nobody would write, for laws that must hold anyway.
 * @module
 */

import fc from "fast-check";
import type { ChatMessage, ContentBlock, ToolCall } from "../../../providers/provider.ts";

function plain<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true });
}

/** Text with what breaks formats: lone surrogates, line separators, emoji, Chinese. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom(
    "",
    " ",
    "你好，世界",
    "👩‍👩‍👧",
    "\ud800",
    "a\udc00b",
    "x\u2028y\u2029z",
    "\u0000",
    "a\nb\r\n",
  ),
);

/** Few ids, so that they repeat within and across messages. */
const anyId = fc.constantFrom("c1", "c2", "c3", "c1_2", "", "call_\ud800");

const anyCall: fc.Arbitrary<ToolCall> = plain({
  id: anyId,
  type: fc.constant("function" as const),
  function: plain({ name: fc.constantFrom("exec", "read_file"), arguments: anyText }),
});

const anyContent: fc.Arbitrary<string | ContentBlock[]> = fc.oneof(
  { weight: 3, arbitrary: anyText },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.oneof(
        plain({ type: fc.constant("text" as const), text: anyText }),
        plain({
          type: fc.constant("image_url" as const),
          image_url: plain({ url: anyText }),
        }),
      ),
      { maxLength: 3 },
    ),
  },
);

/** Any message at all. */
export const anyMessage: fc.Arbitrary<ChatMessage> = fc.oneof(
  plain({ role: fc.constant("user" as const), content: anyContent }),
  plain({ role: fc.constant("assistant" as const), content: fc.option(anyText) }),
  plain({
    role: fc.constant("assistant" as const),
    content: fc.option(anyText),
    tool_calls: fc.array(anyCall, { minLength: 1, maxLength: 3 }),
    reasoning_content: anyText,
    thinking_blocks: fc.array(fc.constant({ type: "thinking", signature: "s" }), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
  plain({
    role: fc.constant("tool" as const),
    tool_call_id: anyId,
    name: fc.constantFrom("exec", "read_file"),
    content: anyContent,
  }),
  plain({ role: fc.constant("system" as const), content: anyText }),
);

/** Any list of messages. */
export const anyConversation: fc.Arbitrary<ChatMessage[]> = fc.array(anyMessage, { maxLength: 20 });
