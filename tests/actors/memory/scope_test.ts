import assert from "node:assert/strict";
import fc from "fast-check";
import { MemoryScope, memoryScope, sessionMemoryScope } from "../../../actors/memory/scope.ts";

const ORIGIN = {
  channel: "feishu",
  chatId: "oc_1",
  senderId: "ou_1",
  sessionKey: "feishu:oc_1",
};
const SYSTEM = { ...ORIGIN, channel: "system", senderId: "cron" };

Deno.test.each(
  [
    ["global", ORIGIN, "global"],
    ["person", ORIGIN, "person:feishu:ou_1"],
    ["person", { ...ORIGIN, channel: "slack" }, "person:slack:ou_1"],
    ["chat", ORIGIN, "chat:feishu:oc_1"],
    ["person", { ...SYSTEM, replyChannel: "feishu" }, "chat:feishu:oc_1"],
    ["chat", { ...SYSTEM, replyChannel: null }, "session:feishu:oc_1"],
    ["person", { ...ORIGIN, senderId: undefined }, "chat:feishu:oc_1"],
  ] as const,
)("With %s memory %j belongs to %s", (setting, origin, key) => {
  assert.equal(memoryScope(setting, origin).key, key);
});

Deno.test("Everybody's files stand where nanobot has them", () => {
  const { global } = MemoryScope;
  assert.deepEqual(
    [global.pathOf("SOUL"), global.pathOf("USER"), global.pathOf("MEMORY"), global.historyPath],
    ["SOUL.md", "USER.md", "memory/MEMORY.md", "memory/history.jsonl"],
  );
  assert.deepEqual([global.cursorPath, global.dreamCursorPath], [
    "memory/.cursor",
    "memory/.dream_cursor",
  ]);
});

Deno.test("No two scopes share a folder, on file systems that ignore case too", () => {
  const key = fc.string({ unit: "binary", maxLength: 300 });
  fc.assert(fc.property(key, key, (one, other) => {
    const folders = [one, other].map((id) => MemoryScope.named(`person:${id}`).folder);
    for (const folder of folders) {
      assert.match(folder, /^memory\/scopes\/[A-Za-z0-9.%~-]+$/);
      assert.ok(folder.length < 220);
    }
    if (one.toWellFormed() === other.toWellFormed()) return;
    assert.notEqual(folders[0]?.toLowerCase(), folders[1]?.toLowerCase());
  }));
  const [upper, lower] = ["U1", "u1"].map((id) => MemoryScope.named(`person:slack:${id}`).folder);
  assert.notEqual(upper?.toLowerCase(), lower?.toLowerCase());
});

Deno.test("A scope's files stand in its folder, but for the assistant's character", () => {
  const scope = MemoryScope.named("chat:feishu:oc_1");
  assert.equal(scope.pathOf("SOUL"), "SOUL.md");
  assert.equal(scope.pathOf("USER"), "memory/scopes/chat%3Afeishu%3Aoc%5F1/USER.md");
  assert.equal(scope.historyPath, "memory/scopes/chat%3Afeishu%3Aoc%5F1/history.jsonl");
});

Deno.test.each([
  ["feishu:oc_1", "chat:feishu:oc_1"],
  ["feishu:oc_1:om_a1", "chat:feishu:oc_1"],
  ["slack:C1:1712345678.000100", "chat:slack:C1"],
  ["telegram:-100:topic:7", "chat:telegram:-100"],
  ["discord:5:thread:6", "chat:discord:5"],
  ["email:a@b.org:thread:<x:y@z>", "chat:email:a@b.org"],
  ["websocket:a:b", "chat:websocket:a:b"],
  ["unified", "session:unified"],
])("What nobody's line says of %s belongs to %s, whose memory is read there", (sessionKey, key) => {
  assert.equal(sessionMemoryScope("chat", sessionKey).key, key);
  assert.equal(sessionMemoryScope("global", sessionKey).key, "global");
});
