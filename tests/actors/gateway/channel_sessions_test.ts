import assert from "node:assert/strict";
import { channelSessions } from "../../../actors/gateway/channel_sessions.ts";
import type { RouterMessage } from "../../../actors/gateway/router.ts";
import { Probe } from "../../support/probe.ts";

const LINES = [
  { _type: "metadata", key: "websocket:c1" },
  { role: "user", content: "hello", timestamp: "2026-01-01T00:00:00Z" },
  { role: "assistant", content: null, tool_calls: [] },
  { role: "tool", tool_call_id: "t", name: "x", content: "result" },
  { role: "user", content: "[Scheduled]", injected_event: "cron" },
  { role: "assistant", content: "hi" },
];

function sessionsOver(names: readonly string[]) {
  const router = new Probe<RouterMessage>({
    onMessage: (message) => {
      if (message.type === "erase_session") message.replyTo.reply("deleted");
    },
  });
  return channelSessions("websocket", {
    files: {
      read: (name) =>
        Promise.resolve(
          names.includes(name) ? LINES.map((line) => JSON.stringify(line)).join("\n") : null,
        ),
    },
    async *list() {
      for (const [modifiedAtMs, name] of names.entries()) yield { name, modifiedAtMs };
    },
    router,
  });
}

const NAMES = ["websocket_c1.jsonl", "feishu_oc_1.jsonl", "websocket_c2.jsonl", "notes.jsonl"];

Deno.test("A channel is told of its own conversations, the latest first", async () => {
  const listed = await sessionsOver(NAMES).list();
  assert.deepEqual(listed.map(({ key }) => key), ["websocket:c2", "websocket:c1"]);
});

Deno.test("A channel reads what was said in a conversation, and nothing else", async () => {
  const read = await sessionsOver(NAMES).read("websocket:c1");
  assert.deepEqual(read?.map(({ role, text }) => [role, text]), [
    ["user", "hello"],
    ["assistant", "hi"],
  ]);
});

Deno.test.each(["feishu:oc_1", "websocket:none", "websockets:c1"])(
  "A channel cannot read %s",
  async (key) => assert.equal(await sessionsOver(NAMES).read(key), null),
);

Deno.test("A channel deletes its own conversations alone", async () => {
  const sessions = sessionsOver(NAMES);
  assert.equal(await sessions.erase("websocket:c1"), "deleted");
  assert.equal(await sessions.erase("feishu:oc_1"), "missing");
});
