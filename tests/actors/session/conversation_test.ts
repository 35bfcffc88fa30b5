import assert from "node:assert/strict";
import { Conversation } from "../../../actors/session/conversation.ts";
import { REPLAYED_MAX } from "../../../actors/session/history.ts";
import {
  encodeMessageLine,
  readSessionText,
  type SessionMetadata,
  type StoredMessage,
  UnreadMessage,
} from "../../../actors/session/session_file.ts";
import { neverBreathe } from "../../../actors/kernel/breathing.ts";
import type { ChatMessage } from "../../../providers/provider.ts";

const NOW_MS = 1_000;

function stored(message: ChatMessage): StoredMessage {
  return { message, timestampMs: 0, lineId: null, extras: {} };
}

function metadata(lastConsolidated: number): SessionMetadata {
  return { key: "a:b", createdAtMs: 5, updatedAtMs: 6, metadata: { n: 1 }, lastConsolidated };
}

const MESSAGES = [
  stored({ role: "user", content: "one" }),
  stored({ role: "assistant", content: "1" }),
  stored({ role: "user", content: "two" }),
];

Deno.test.each([
  [0, ["one", "1", "two"]],
  [1, ["two"]],
  [2, ["two"]],
  [3, []],
  [99, []],
  [-1, ["one", "1", "two"]],
])("Conversation with %s summarised messages replays %j", (lastConsolidated, contents) => {
  const conversation = new Conversation(
    "a:b",
    { messages: MESSAGES, metadata: metadata(lastConsolidated) },
    NOW_MS,
  );
  assert.deepEqual(conversation.replay().map(({ content }) => content), contents);
});

Deno.test("Conversation goes on after a summary count that was too large", () => {
  const conversation = new Conversation(
    "a:b",
    { messages: MESSAGES, metadata: metadata(99) },
    NOW_MS,
  );
  conversation.append(stored({ role: "user", content: "three" }));
  assert.equal(conversation.lastConsolidated, 3);
  assert.equal(conversation.replayableCount, 1);
  assert.deepEqual(conversation.replay(), [{ role: "user", content: "three" }]);
});

Deno.test("Conversation tells its metadata line", () => {
  const conversation = new Conversation(
    "a:b",
    { messages: MESSAGES, metadata: metadata(1) },
    NOW_MS,
  );
  assert.deepEqual(conversation.describe(NOW_MS), { ...metadata(1), updatedAtMs: NOW_MS });
});

Deno.test("Conversation forgets everything when it is cleared", () => {
  const conversation = new Conversation(
    "a:b",
    { messages: MESSAGES, metadata: metadata(1) },
    NOW_MS,
  );
  conversation.clear(NOW_MS);
  assert.deepEqual(conversation.messages, []);
  assert.deepEqual(conversation.replay(), []);
  assert.deepEqual(conversation.describe(NOW_MS), {
    key: "a:b",
    createdAtMs: NOW_MS,
    updatedAtMs: NOW_MS,
    metadata: {},
    lastConsolidated: 0,
  });
});

Deno.test("Conversation lets a turn see what is never stored", () => {
  const conversation = new Conversation("a:b", { messages: [], metadata: null }, NOW_MS);
  const view = conversation.forkReplay();
  view.push({ role: "user", content: "[time]\n\nhi" });
  conversation.append(stored({ role: "user", content: "hi" }));
  assert.deepEqual(view.messages(), [{ role: "user", content: "[time]\n\nhi" }]);
  assert.deepEqual(conversation.replay(), [{ role: "user", content: "hi" }]);
});

Deno.test("Conversation keeps no images, awake or asleep", () => {
  const conversation = new Conversation("a:b", { messages: [], metadata: null }, NOW_MS);
  const image = {
    type: "image_url" as const,
    image_url: { url: "data:…" },
    _meta: { path: "/a.png" },
  };
  conversation.append(stored({ role: "user", content: [image] }));
  const content = [{ type: "text", text: "[image: /a.png]" }];
  assert.deepEqual(conversation.messages[0]?.message.content, content);
  assert.deepEqual(conversation.replay()[0]?.content, content);
});

Deno.test("Conversation reads of a long file only what is shown again", async () => {
  const lines = Array.from({ length: REPLAYED_MAX + 500 }, (_, n) => {
    const message = { role: n % 2 === 0 ? "user" as const : "assistant" as const, content: `${n}` };
    return encodeMessageLine(message, { timestampMs: NOW_MS, lineId: `t${n}:0` });
  });
  const text = lines.map((line) => `${line}\n`).join("");
  const file = await readSessionText(text, neverBreathe);
  for (const first of [500, 1_000]) {
    const read = { ...file, metadata: metadata(first === 500 ? 0 : first) };
    const options = { nowMs: NOW_MS, breathe: neverBreathe };
    const conversation = await Conversation.read("a:b", read, options);
    const isUnread = conversation.messages.map((stored) => stored instanceof UnreadMessage);
    assert.equal(isUnread.indexOf(false), first);
    assert.equal(isUnread.lastIndexOf(true), first - 1);
    const [shown] = conversation.replay();
    assert.deepEqual(shown, { role: "user", content: `${first}` });
    assert.equal(conversation.replay().length, lines.length - first);
    assert.equal(conversation.messages[0]?.message.content, "0");
  }
});
