import assert from "node:assert/strict";
import fc from "fast-check";
import { INTERRUPTED_RESULT, Replay, wellFormed } from "../../../actors/session/history.ts";
import type {
  AssistantMessage,
  ChatMessage,
  ToolMessage,
  UserMessage,
} from "../../../providers/provider.ts";
import { anyConversation } from "./arbitrary_messages.ts";

function user(content: UserMessage["content"]): UserMessage {
  return { role: "user", content };
}

function assistant(content: string, ...ids: string[]): AssistantMessage {
  if (ids.length === 0) return { role: "assistant", content };
  const calls = ids.map((id) => ({
    id,
    type: "function" as const,
    function: { name: "exec", arguments: "{}" },
  }));
  return { role: "assistant", content, tool_calls: calls };
}

function result(id: string, content: string = "ok"): ToolMessage {
  return { role: "tool", tool_call_id: id, name: "exec", content };
}

function interrupted(id: string): ToolMessage {
  return result(id, INTERRUPTED_RESULT);
}

Deno.test.each<[string, ChatMessage[], ChatMessage[]]>([
  ["no messages", [], []],
  ["a plain exchange", [user("a"), assistant("b")], [user("a"), assistant("b")]],
  ["a whole tool round", [
    user("a"),
    assistant("", "1", "2"),
    result("2"),
    result("1"),
    assistant("b"),
  ], [
    user("a"),
    assistant("", "1", "2"),
    result("2"),
    result("1"),
    assistant("b"),
  ]],
  ["what stands before the first user message", [assistant("x"), result("1"), user("a")], [
    user("a"),
  ]],
  ["nothing but results and answers", [result("1"), assistant("x")], []],
  ["an orphan result in the middle", [
    user("a"),
    assistant("b"),
    result("9"),
    user("c"),
    assistant("d"),
  ], [
    user("a"),
    assistant("b"),
    user("c"),
    assistant("d"),
  ]],
  [
    "a result that comes twice",
    [user("a"), assistant("", "1"), result("1"), result("1", "again")],
    [
      user("a"),
      assistant("", "1"),
      result("1"),
    ],
  ],
  ["a call without result, in the middle", [
    user("a"),
    assistant("", "1", "2"),
    result("1"),
    user("b"),
  ], [
    user("a"),
    assistant("", "1", "2"),
    result("1"),
    interrupted("2"),
    user("b"),
  ]],
  ["a call without result, at the end", [user("a"), assistant("", "1")], [
    user("a"),
    assistant("", "1"),
    interrupted("1"),
  ]],
  ["an id that repeats across messages", [
    user("a"),
    assistant("", "1"),
    result("1", "first"),
    assistant("", "1"),
    result("1", "second"),
  ], [
    user("a"),
    assistant("", "1"),
    result("1", "first"),
    assistant("", "1"),
    result("1", "second"),
  ]],
  ["an id that repeats within a message", [
    user("a"),
    assistant("", "1", "1", "1_2"),
    result("1", "first"),
    result("1", "second"),
    result("1_2", "third"),
  ], [
    user("a"),
    assistant("", "1", "1_3", "1_2"),
    result("1", "first"),
    result("1_3", "second"),
    result("1_2", "third"),
  ]],
  ["two user messages in a row", [user("a"), user("b")], [user("a\n\nb")]],
  ["text and blocks in a row", [user("a"), user([{ type: "text", text: "b" }])], [
    user([{ type: "text", text: "a" }, { type: "text", text: "b" }]),
  ]],
  ["two answers in a row", [user("a"), assistant("b"), assistant("c", "1"), result("1")], [
    user("a"),
    assistant("b\n\nc", "1"),
    result("1"),
  ]],
  ["blank messages", [user("a"), assistant(" "), user(""), assistant("b")], [
    user("a"),
    assistant("b"),
  ]],
  ["system messages", [user("a"), { role: "system", content: "x" }, assistant("b")], [
    user("a"),
    assistant("b"),
  ]],
])("wellFormed makes the best of %s", (_name, messages, expected) => {
  assert.deepEqual(wellFormed(messages), expected);
});

Deno.test("wellFormed keeps reasoning and signed thinking of joined answers", () => {
  const first: AssistantMessage = {
    ...assistant("a"),
    reasoning_content: "r1",
    thinking_blocks: [{ signature: "s1" }],
  };
  const second: AssistantMessage = { ...assistant("b"), thinking_blocks: [{ signature: "s2" }] };
  assert.deepEqual(wellFormed([user("q"), first, second])[1], {
    role: "assistant",
    content: "a\n\nb",
    reasoning_content: "r1",
    thinking_blocks: [{ signature: "s1" }, { signature: "s2" }],
  });
});

/** What every vendor's API asks of a list of messages. */
function assertWellFormed(messages: readonly ChatMessage[]): void {
  let waiting: string[] = [];
  let previous: ChatMessage["role"] | undefined;
  for (const message of messages) {
    assert.notEqual(message.role, "system");
    if (message.role === "tool") {
      const index = waiting.indexOf(message.tool_call_id);
      assert.notEqual(index, -1, "a result answers a call of the message before it");
      waiting.splice(index, 1);
    } else {
      assert.deepEqual(waiting, [], "no call is without result");
      assert.notEqual(message.role, previous, "roles take turns");
      if (message.role === "assistant") waiting = (message.tool_calls ?? []).map(({ id }) => id);
      assert.equal(new Set(waiting).size, waiting.length, "ids are distinct");
    }
    previous = message.role;
  }
  assert.deepEqual(waiting, []);
  assert.ok(messages.length === 0 || messages[0]?.role === "user");
}

Deno.test("Replay is well-formed after every message, whatever was said", () => {
  fc.assert(fc.property(anyConversation, (messages) => {
    const replay = new Replay();
    for (const message of messages) {
      replay.push(message);
      assertWellFormed(replay.messages());
    }
  }));
});

Deno.test("Replay changes neither what went in nor what came out", () => {
  fc.assert(fc.property(anyConversation, anyConversation, (first, second) => {
    const before = JSON.stringify([first, second]);
    const replay = Replay.of(first);
    const early = replay.messages();
    const earlyText = JSON.stringify(early);
    for (const message of second) replay.push(message);
    assert.equal(JSON.stringify(early), earlyText);
    assert.equal(JSON.stringify([first, second]), before);
  }));
});

Deno.test("Replay forks into two that do not know of each other", () => {
  fc.assert(
    fc.property(anyConversation, anyConversation, anyConversation, (shared, ours, theirs) => {
      const original = Replay.of(shared);
      const fork = original.fork();
      for (const message of ours) original.push(message);
      for (const message of theirs) fork.push(message);
      assert.deepEqual(original.messages(), wellFormed([...shared, ...ours]));
      assert.deepEqual(fork.messages(), wellFormed([...shared, ...theirs]));
    }),
  );
});

Deno.test("wellFormed changes nothing in what it made", () => {
  fc.assert(fc.property(anyConversation, (messages) => {
    const once = wellFormed(messages);
    assert.deepEqual(wellFormed(once), once);
  }));
});

Deno.test("wellFormed keeps messages that need no change as the same objects", () => {
  const messages = [user("a"), assistant("", "1"), result("1"), assistant("b")];
  for (const [index, message] of wellFormed(messages).entries()) {
    assert.equal(message, messages[index]);
  }
});

Deno.test("Replay puts what is given in front", () => {
  const system: ChatMessage = { role: "system", content: "s" };
  assert.deepEqual(Replay.of([user("a")]).messages(system), [system, user("a")]);
});

Deno.test("Replay lets the beginning of a very long conversation go, whole turns at a time", () => {
  const replay = new Replay();
  for (let n = 0; n < 30_000; n++) {
    replay.push(user(`question ${n}`));
    replay.push(assistant("", "1"));
    replay.push(result("1"));
    replay.push(assistant(`answer ${n}`));
    if (n % 10_000 === 0) assertWellFormed(replay.messages());
  }
  const messages = replay.messages();
  assertWellFormed(messages);
  assert.equal(messages.at(-1)?.content, "answer 29999");
  assert.ok(messages.length >= 10_000 && messages.length <= 20_001, String(messages.length));
});

Deno.test("Replay knows where a turn's own messages begin", () => {
  const replay = Replay.of([user("a"), assistant("b")]);
  assert.equal(replay.ownFrom, Infinity);
  replay.ownFromNext();
  replay.push(user("c"));
  assert.equal(replay.ownFrom, 2);
  for (const message of [assistant("", "1"), result("1"), user("joined")]) replay.push(message);
  assert.equal(replay.fork().ownFrom, 2, "what joins is answered with it");
  replay.push(assistant("d"));
  replay.ownFromNext();
  replay.push(user("e"));
  assert.equal(replay.messages()[replay.ownFrom]?.content, "e");
});

Deno.test("Replay counts a message that becomes one with its neighbour among a turn's own", () => {
  const replay = Replay.of([user("a"), assistant("b"), user("c")]);
  replay.ownFromNext();
  replay.push(user("d"));
  assert.equal(replay.messages()[replay.ownFrom]?.content, "c\n\nd");
});

Deno.test("Replay lets go of no message of the turn, however long that gets", () => {
  const replay = Replay.of([user("old"), assistant("answer")]);
  replay.ownFromNext();
  replay.push(user("question"));
  for (let n = 0; n < 12_000; n++) {
    if (n === 3_000) replay.push(user("joined"));
    replay.push(assistant("", `${n}`));
    replay.push(result(`${n}`));
  }
  assert.equal(replay.messages()[replay.ownFrom]?.content, "question");
});

Deno.test("A replay of a very long conversation begins with a person, and has its newest part", () => {
  const messages = Array.from(
    { length: 30_001 },
    (_, n): ChatMessage => ({ role: n % 2 === 0 ? "user" : "assistant", content: `${n}` }),
  );
  const shown = Replay.of(messages).messages();
  assert.equal(shown[0]?.role, "user");
  assert.equal(shown.at(-1)?.content, "30000");
  assert.ok(shown.length >= 10_000 && shown.length <= 20_000, `${shown.length} messages`);
});
