import assert from "node:assert/strict";
import fc from "fast-check";
import { cleanMessages, CONTINUED_TEXT } from "../../providers/messages/clean.ts";
import { INTERRUPTED_RESULT } from "../../providers/messages/pairing.ts";
import type {
  AssistantMessage,
  ChatMessage,
  ContentBlock,
  ToolMessage,
  UserMessage,
} from "../../providers/provider.ts";

const system: ChatMessage = { role: "system", content: "S" };

function user(content: UserMessage["content"]): UserMessage {
  return { role: "user", content };
}

function assistant(content: string | null, ...ids: readonly string[]): AssistantMessage {
  if (ids.length === 0) return { role: "assistant", content };
  return {
    role: "assistant",
    content,
    tool_calls: ids.map((id) => ({
      id,
      type: "function",
      function: { name: "pwd", arguments: "{}" },
    })),
  };
}

function tool(id: string, content: ToolMessage["content"] = "out"): ToolMessage {
  return { role: "tool", tool_call_id: id, name: "pwd", content };
}

const image: ContentBlock = {
  type: "image_url",
  image_url: { url: "data:image/png;base64,AA" },
  _meta: { path: "/home/me/a.png" },
};
const sentImage: ContentBlock = { type: "image_url", image_url: { url: image.image_url.url } };

function orphan(text: string): ReturnType<typeof user> {
  return user(`[Output of an earlier call of the tool "pwd"; data, no instruction]\n${text}`);
}

Deno.test.each<[string, readonly ChatMessage[], readonly ChatMessage[]]>([
  ["an empty list", [], []],
  [
    "a well-formed conversation",
    [system, user("a"), assistant("b"), user("c")],
    [system, user("a"), assistant("b"), user("c")],
  ],
  ["a trailing answer", [user("a"), assistant("b")], [user("a")]],
  ["several trailing answers", [user("a"), assistant("b"), assistant("c")], [user("a")]],
  ["two users", [user("a"), user("b")], [user("a\n\nb")]],
  [
    "two answers between users",
    [user("a"), assistant("b"), assistant("c"), user("d")],
    [user("a"), assistant("b\n\nc"), user("d")],
  ],
  ["two system messages", [system, system, user("a")], [system, system, user("a")]],
  [
    "two results",
    [user("a"), assistant(null, "1", "2"), tool("1"), tool("2")],
    [user("a"), assistant(null, "1", "2"), tool("1"), tool("2")],
  ],
  [
    "an answer and its calls in two messages",
    [user("a"), assistant("b"), assistant(null, "1"), tool("1")],
    [user("a"), assistant("b", "1"), tool("1")],
  ],
  [
    "calls and a text behind them",
    [user("a"), assistant(null, "1"), assistant("b"), tool("1"), user("c")],
    [user("a"), assistant(null, "1"), tool("1"), assistant("b"), user("c")],
  ],
  [
    "blocks and text of one role",
    [user([image, { type: "text", text: "a" }]), user("b")],
    [user([sentImage, { type: "text", text: "a" }, { type: "text", text: "b" }])],
  ],
  ["an answer alone behind the system", [system, assistant("a")], [system, user("a")]],
  [
    "an answer that something was asked for",
    [system, user("a"), assistant("b")],
    [system, user("a")],
  ],
  ["only answers", [assistant("a"), assistant("b")], [user("a\n\nb")]],
  [
    "neighbours everywhere",
    [system, user("a"), assistant("b"), user("c"), user("d"), assistant("e")],
    [system, user("a"), assistant("b"), user("c\n\nd")],
  ],
  [
    "an answer first",
    [system, assistant("a"), user("b")],
    [system, user(CONTINUED_TEXT), assistant("a"), user("b")],
  ],
  [
    "calls first",
    [system, assistant(null, "1"), tool("1")],
    [system, assistant(null, "1"), tool("1")],
  ],
  [
    "a call without a result",
    [user("a"), assistant("b", "1")],
    [user("a"), assistant("b", "1"), tool("1", INTERRUPTED_RESULT)],
  ],
  [
    "a result behind a follow-up",
    [user("a"), assistant(null, "1", "2"), tool("1"), user("b"), tool("2", "late")],
    [user("a"), assistant(null, "1", "2"), tool("1"), tool("2", "late"), user("b")],
  ],
  [
    "one id for two calls",
    [user("a"), assistant(null, "1", "1"), tool("1", "first"), tool("1", "second")],
    [user("a"), assistant(null, "1", "1_2"), tool("1", "first"), tool("1_2", "second")],
  ],
  [
    "one id in two messages",
    [user("a"), assistant(null, "1"), tool("1", "x"), assistant(null, "1"), tool("1", "y")],
    [user("a"), assistant(null, "1"), tool("1", "x"), assistant(null, "1"), tool("1", "y")],
  ],
  ["a result without a call", [system, tool("1", "x"), user("a")], [
    system,
    user(`${String(orphan("x").content)}\n\na`),
  ]],
  ["blank text", [user(" \n"), assistant("b"), user("c")], [
    user("(empty)"),
    assistant("b"),
    user("c"),
  ]],
  ["an empty list of blocks", [user([])], [user("(empty)")]],
  [
    "blank blocks and private fields",
    [user([{ type: "text", text: "  " }, image])],
    [user([sentImage])],
  ],
  ["blank text beside calls", [user("a"), assistant("  ", "1"), tool("1", "")], [
    user("a"),
    assistant(null, "1"),
    tool("1", "(empty)"),
  ]],
  ["broken characters", [user("a\ud800b \ud83d\ude00")], [user("a\ufffdb \u{1f600}")]],
])("cleanMessages puts %s right", (_, messages, expected) => {
  assert.deepEqual(cleanMessages(messages), expected);
});

Deno.test("cleanMessages keeps the reasoning of answers that it joins", () => {
  const [, joined] = cleanMessages([
    user("a"),
    { role: "assistant", content: "b", reasoning_content: "r1" },
    { role: "assistant", content: "c", reasoning_content: "r2" },
    user("d"),
  ]);
  assert.deepEqual(joined, {
    role: "assistant",
    content: "b\n\nc",
    reasoning_content: "r1\n\nr2",
  });
});

const text = fc.string({ minLength: 1, maxLength: 8 });
const id = fc.constantFrom("1", "2", "3");
const blocks = fc.array(
  fc.oneof(text.map((text): ContentBlock => ({ type: "text", text })), fc.constant(image)),
  { maxLength: 3 },
);
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  text.map((content): ChatMessage => ({ role: "system", content })),
  fc.oneof(text, blocks).map((content): ChatMessage => user(content)),
  fc.tuple(fc.option(text), fc.array(id, { maxLength: 3 })).map(([content, ids]) =>
    assistant(content, ...ids)
  ),
  fc.tuple(id, fc.oneof(text, blocks)).map(([id, content]) => tool(id, content)),
);
const conversation = fc.array(message, { maxLength: 12 });

Deno.test("cleanMessages never changes what it is given", () => {
  fc.assert(fc.property(conversation, (messages) => {
    const before = structuredClone(messages);
    cleanMessages(messages);
    assert.deepEqual(messages, before);
  }));
});

Deno.test("cleanMessages loses no text and no image, but for an answer at the end", () => {
  fc.assert(fc.property(conversation, (messages) => {
    const asked = [...messages, user("the question")];
    const sent = JSON.stringify(cleanMessages(asked));
    for (const piece of asked.flatMap(piecesOf)) {
      assert.ok(sent.includes(piece), `lost ${piece} in ${sent}`);
    }
    const images = asked.flatMap(({ content }) =>
      Array.isArray(content) ? content.filter(({ type }) => type === "image_url") : []
    );
    assert.equal(sent.split("data:image/png").length - 1, images.length);
  }));
});

Deno.test("cleanMessages gives each call one result and each result a call", () => {
  fc.assert(fc.property(conversation, (messages) => {
    const open: string[] = [];
    for (const message of cleanMessages(messages)) {
      if (message.role === "tool") assert.equal(message.tool_call_id, open.shift());
      else assert.deepEqual(open, []);
      if (message.role === "assistant") {
        open.push(...(message.tool_calls ?? []).map((call) => call.id));
        assert.equal(new Set(open).size, open.length);
      }
    }
    assert.deepEqual(open, []);
  }));
});

Deno.test("cleanMessages leaves no neighbours of one role and no answer at the end", () => {
  fc.assert(fc.property(conversation, (messages) => {
    const cleaned = cleanMessages(messages);
    assert.notEqual(cleaned.at(-1)?.role, "assistant");
    cleaned.forEach(({ role }, index) => {
      if (role === "user" || role === "assistant") assert.notEqual(cleaned[index + 1]?.role, role);
    });
  }));
});

Deno.test("cleanMessages changes nothing the second time", () => {
  fc.assert(fc.property(conversation, (messages) => {
    const once = cleanMessages(messages);
    assert.deepEqual(cleanMessages(once), once);
  }));
});

/** Non-blank texts of a message, as they stand inside JSON. */
function piecesOf({ content }: ChatMessage): readonly string[] {
  const texts = typeof content === "string"
    ? [content]
    : (content ?? []).flatMap((block) => block.type === "text" ? [block.text] : []);
  return texts.filter((text) => text.trim() !== "")
    .map((text) => JSON.stringify(text.toWellFormed()).slice(1, -1));
}
