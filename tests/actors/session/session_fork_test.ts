import assert from "node:assert/strict";
import { forkKeys, forkSession } from "../../../actors/session/session_fork.ts";
import { parseSessionFile } from "../../../actors/session/session_file.ts";

const LINES = [
  { role: "user", content: "first", line_id: "t1:0" },
  { role: "assistant", content: "one", line_id: "t1:1" },
  { role: "user", content: "second", line_id: "t2:0" },
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "c1", type: "function", function: { name: "exec", arguments: "{}" } }],
    line_id: "t2:1",
  },
  { role: "tool", tool_call_id: "c1", name: "exec", content: "done", line_id: "t2:2" },
  { role: "assistant", content: "two", line_id: "t2:3" },
  { role: "user", content: "third", line_id: "t3:0" },
  { role: "assistant", content: "three", line_id: "t3:1" },
];

function conversation(summedUp: number) {
  const head = {
    _type: "metadata",
    key: "feishu:oc_1",
    metadata: { model: "fast", _last_summary: { text: "of old" } },
    last_consolidated: summedUp,
  };
  const text = [...LINES, head].map((line) => `${JSON.stringify(line)}\n`).join("");
  return { key: "feishu:oc_1", content: parseSessionFile(text) };
}

const COPY = { key: "cli:plan-b", nowMs: Date.UTC(2026, 4, 1) };

Deno.test("forkSession copies a conversation up to a reply, with all that belongs to it", () => {
  const fork = forkSession(conversation(2), 6, COPY);
  assert.ok(fork.state === "forked");
  const { metadata, messages, damaged } = parseSessionFile(fork.text);
  assert.deepEqual(damaged, []);
  assert.deepEqual(messages.map(({ lineId }) => lineId), LINES.slice(0, 6).map((l) => l.line_id));
  assert.deepEqual([metadata?.key, metadata?.lastConsolidated], ["cli:plan-b", 2]);
  assert.deepEqual(metadata?.metadata, {
    model: "fast",
    _last_summary: { text: "of old" },
    forked_from: { key: "feishu:oc_1", lines: 6 },
  });
});

Deno.test("forkSession leaves a summary out that tells of what the copy does not know", () => {
  const fork = forkSession(conversation(6), 2, COPY);
  assert.ok(fork.state === "forked");
  const { metadata } = parseSessionFile(fork.text);
  assert.equal(metadata?.lastConsolidated, 0);
  assert.deepEqual(Object.keys(metadata?.metadata ?? {}), ["model", "forked_from"]);
});

Deno.test.each([[4, 2], [5, 2], [7, 6], [1, null], [0, null], [9, 8], [NaN, null], [2.5, 2]])(
  "forkSession does not cut at line %s, which is no reply",
  (line, nearest) => {
    assert.deepEqual(forkSession(conversation(0), line, COPY), { state: "no_reply", nearest });
  },
);

Deno.test("forkKeys names copies after the conversation, for the terminal", () => {
  assert.equal(forkKeys("cli:direct").next().value, "cli:direct-fork-1");
  const [first, second] = forkKeys("feishu:oc_1/群");
  assert.deepEqual([first, second], ["cli:feishu-oc_1--fork-1", "cli:feishu-oc_1--fork-2"]);
});
