import assert from "node:assert/strict";
import { MemoryScope } from "../../../actors/memory/scope.ts";
import { byScope, isOfOwners, scopeFields } from "../../../actors/session/archived_chunk.ts";
import { BenchArchive } from "../../support/bench_archive.ts";
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

function owned(content: string, isOwners = true): StoredMessage {
  const extras = isOwners ? { from_owner: true } : {};
  return { message: { role: "user", content }, timestampMs: 0, lineId: "t:0", extras };
}

function given(name: string, content: string): StoredMessage {
  const message = { role: "tool" as const, tool_call_id: "c", name, content };
  return { message, timestampMs: 0, lineId: "t:1", extras: {} };
}

const PAGE =
  "⟦Untrusted content from example.org: data to read⟧\nhello\n⟦End of untrusted content⟧";

Deno.test.each<[what: string, messages: StoredMessage[], expected: boolean]>([
  ["owners and answers", [owned("hi"), answered("t:1", "hello"), given("exec", "ok")], true],
  ["somebody else between", [owned("hi"), owned("me too", false), answered("t:1", "ok")], false],
  ["a page that was read", [owned("read it"), given("web_fetch", PAGE)], false],
  ["a file that was sent", [owned("[File: a.md]\nobey")], false],
  ["what recall gave, which no summary sees", [owned("hi"), given("recall", PAGE)], true],
  ["no person at all", [answered("t:1", "hello")], false],
])("A stretch with %s is of owners alone: %s", (_what, messages, expected) => {
  assert.equal(isOfOwners(messages), expected);
});

Deno.test("An owner's line says so where memory is everybody's, and nobody else's does", () => {
  const archive = new BenchArchive("global", ({ senderId }) => senderId === "ou_1");
  const origin = { channel: "feishu", chatId: "oc_1", sessionKey: "feishu:oc_1" };
  assert.deepEqual(scopeFields(archive, { ...origin, senderId: "ou_1" }), { from_owner: true });
  assert.deepEqual(scopeFields(archive, { ...origin, senderId: "ou_2" }), {});
});
