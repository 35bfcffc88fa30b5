import assert from "node:assert/strict";
import { MemoryScope } from "../../../actors/memory/scope.ts";
import { byScope } from "../../../actors/session/archived_chunk.ts";
import type { StoredMessage } from "../../../actors/session/session_file.ts";

const GROUP = MemoryScope.named("chat:feishu:oc_1");

function said(lineId: string, sender: string, content: string): StoredMessage {
  const extras = { memory_scope: `person:feishu:${sender}` };
  return { message: { role: "user", content }, timestampMs: 0, lineId, extras };
}

function answered(lineId: string, content: string): StoredMessage {
  return { message: { role: "assistant", content }, timestampMs: 0, lineId, extras: {} };
}

Deno.test("What follows once a second person joined a turn goes to neither's memory", () => {
  const groups = byScope([
    said("t1:0", "anna", "my code?"),
    answered("t1:1", "I look"),
    said("t1:2", "bert", "me too"),
    answered("t1:3", "it is 4711"),
    said("t1:4", "anna", "thanks"),
    answered("t1:5", "any time, 4711"),
    said("t2:0", "bert", "hello"),
    answered("t2:1", "hello bert"),
  ], GROUP);
  const told = groups.map(({ scope, messages }) => [
    scope.key,
    ...messages.map(({ message }) => message.content),
  ]);
  assert.deepEqual(told, [
    ["person:feishu:anna", "my code?", "I look", "thanks"],
    ["person:feishu:bert", "me too", "hello", "hello bert"],
    ["chat:feishu:oc_1", "it is 4711", "any time, 4711"],
  ]);
});

Deno.test("A person who says more within their own turn keeps its answers", () => {
  const groups = byScope([
    said("t1:0", "anna", "one"),
    said("t1:1", "anna", "two"),
    answered("t1:2", "both"),
  ], GROUP);
  assert.deepEqual(groups.map(({ messages }) => messages.length), [3]);
});

Deno.test("A stretch that begins with who joined a turn does not take its answers", () => {
  const earlier = [said("t1:0", "anna", "my code?"), answered("t1:1", "I look")];
  const messages = [said("t1:2", "bert", "me too"), answered("t1:3", "it is 4711")];
  const groups = byScope(messages, GROUP, earlier);
  assert.deepEqual(groups.map(({ scope, messages }) => [scope.key, messages.length]), [
    ["person:feishu:bert", 1],
    ["chat:feishu:oc_1", 1],
  ]);
});
