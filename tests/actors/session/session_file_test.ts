import assert from "node:assert/strict";
import fc from "fast-check";
import type { ChatMessage } from "../../../providers/provider.ts";
import {
  encodeMessageLine,
  encodeMetadataLine,
  parseMessageLine,
  parseSessionFile,
  readSessionText,
  type StoredMessage,
  UnreadMessage,
} from "../../../actors/session/session_file.ts";
import { neverBreathe } from "../../../actors/kernel/breathing.ts";
import { storable } from "../../../actors/session/message_line.ts";
import { anyMessage, anyText } from "./arbitrary_messages.ts";

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

const NANOBOT_FILE = [
  `{"_type":"metadata","key":"feishu:oc_1","created_at":"2026-01-02T03:04:05.678901","updated_at":"2026-01-02T03:05:05.678901","metadata":{"_last_summary":{"text":"x"}},"last_consolidated":1}`,
  `{"role":"user","content":"你好","timestamp":"2026-01-02T03:04:06.000001"}`,
  `{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"list_dir","arguments":"{\\"path\\":\\".\\"}"}}],"reasoning_content":"look","timestamp":"2026-01-02T03:04:07"}`,
  `{"role":"tool","tool_call_id":"c1","name":"list_dir","content":"a.txt","timestamp":"2026-01-02T03:04:08"}`,
  `{"role":"assistant","content":"done","sender_id":"subagent","subagent_task_id":"t1","timestamp":"2026-01-02T03:04:09+00:00"}`,
].map((line) => `${line}\n`).join("");

Deno.test("parseSessionFile reads what nanobot wrote", () => {
  const file = parseSessionFile(NANOBOT_FILE);
  assert.deepEqual(file.damaged, []);
  assert.equal(file.healthyText, NANOBOT_FILE);
  assert.equal(file.metadata?.key, "feishu:oc_1");
  assert.equal(file.metadata?.lastConsolidated, 1);
  assert.deepEqual(file.metadata?.metadata, { _last_summary: { text: "x" } });
  assert.equal(file.metadata?.createdAtMs, new Date(2026, 0, 2, 3, 4, 5, 678).getTime());
  assert.deepEqual(file.messages.map(({ message }) => message), [
    { role: "user", content: "你好" },
    {
      role: "assistant",
      content: "",
      tool_calls: [{
        id: "c1",
        type: "function",
        function: { name: "list_dir", arguments: `{"path":"."}` },
      }],
      reasoning_content: "look",
    },
    { role: "tool", tool_call_id: "c1", name: "list_dir", content: "a.txt" },
    { role: "assistant", content: "done" },
  ]);
  assert.deepEqual(file.messages[3]?.extras, { sender_id: "subagent", subagent_task_id: "t1" });
  assert.equal(file.messages[3]?.timestampMs, Date.UTC(2026, 0, 2, 3, 4, 9));
  assert.equal(file.messages[0]?.lineId, null);
});

Deno.test("parseSessionFile lets the last metadata line win", () => {
  const lines = [
    `{"_type":"metadata","key":"a:b","metadata":{"n":1},"last_consolidated":0}`,
    `{"role":"user","content":"hi"}`,
    `{"_type":"metadata","key":"a:b","metadata":{"n":2},"last_consolidated":1}`,
  ];
  const file = parseSessionFile(lines.join("\n") + "\n");
  assert.deepEqual(file.metadata?.metadata, { n: 2 });
  assert.equal(file.metadata?.lastConsolidated, 1);
  assert.equal(file.messages.length, 1);
});

Deno.test.each([
  ["a cut line", `{"role":"user","content":"hi`],
  ["no JSON", "garbage"],
  ["a number", "42"],
  ["null", "null"],
  ["a list", "[]"],
  ["an object without role", `{"content":"hi"}`],
  ["an unknown role", `{"role":"oracle","content":"hi"}`],
  ["content of the wrong type", `{"role":"user","content":42}`],
  ["a call without a name", `{"role":"assistant","content":"","tool_calls":[{"id":"c"}]}`],
])("parseSessionFile puts %s aside and keeps its neighbours", (_name, bad) => {
  const first = `{"role":"user","content":"one"}`;
  const last = `{"role":"user","content":"two"}`;
  const file = parseSessionFile([first, bad, last, ""].join("\n"));
  assert.deepEqual(file.damaged, [bad]);
  assert.deepEqual(file.messages.map(({ message }) => message.content), ["one", "two"]);
  assert.equal(file.healthyText, `${first}\n${last}\n`);
});

Deno.test.each([
  ["a key that is no text", `"key":42`, { key: null }],
  ["bad dates", `"created_at":"yesterday","updated_at":7`, {
    createdAtMs: null,
    updatedAtMs: null,
  }],
  ["a fractional count", `"last_consolidated":1.5`, { lastConsolidated: 0 }],
  ["data that is no object", `"metadata":[1]`, { metadata: {} }],
])("parseSessionFile reads metadata with %s", (_name, field, expected) => {
  const { metadata } = parseSessionFile(`{"_type":"metadata",${field}}\n`);
  assert.partialDeepStrictEqual(metadata, expected);
});

Deno.test.each([
  ["null content", `{"role":"user","content":null}`, { role: "user", content: "" }],
  ["no content", `{"role":"assistant"}`, { role: "assistant", content: null }],
  ["null calls", `{"role":"assistant","content":"a","tool_calls":null}`, {
    role: "assistant",
    content: "a",
  }],
  [
    "arguments as an object",
    `{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":{"a":1}}}]}`,
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: `{"a":1}` } }],
    },
  ],
  ["a result without id and name", `{"role":"tool","content":"x"}`, {
    role: "tool",
    tool_call_id: "",
    name: "tool",
    content: "x",
  }],
  ["a block of an unknown kind", `{"role":"user","content":[{"type":"audio","data":"…"}]}`, {
    role: "user",
    content: [{ type: "text", text: "[audio]" }],
  }],
])("parseMessageLine reads a message with %s", (_name, line, message) => {
  assert.deepEqual(parseMessageLine(line)?.message, message);
});

Deno.test("parseSessionFile ends a last line that has no line end", () => {
  const line = `{"role":"user","content":"hi"}`;
  const file = parseSessionFile(line);
  assert.equal(file.messages.length, 1);
  assert.equal(file.healthyText, `${line}\n`);
});

Deno.test("parseSessionFile finds nothing in an empty file", () => {
  assert.deepEqual(parseSessionFile(""), {
    metadata: null,
    messages: [],
    damaged: [],
    healthyText: "",
  });
});

Deno.test("encodeMessageLine writes UTC and the line's id, and non-ASCII as it is", () => {
  const line = encodeMessageLine({ role: "user", content: "你好" }, {
    timestampMs: NOW_MS,
    lineId: "t1:0",
    extras: { sender_id: "u" },
  });
  assert.ok(line.includes("你好"));
  assert.deepEqual(JSON.parse(line), {
    role: "user",
    content: "你好",
    timestamp: "2026-01-02T03:04:05.678Z",
    line_id: "t1:0",
    sender_id: "u",
  });
});

Deno.test("encodeMetadataLine is read back", () => {
  const metadata = {
    key: "feishu:oc_1",
    createdAtMs: NOW_MS,
    updatedAtMs: NOW_MS + 1,
    metadata: { a: [1, { b: null }] },
    lastConsolidated: 3,
  };
  assert.deepEqual(parseSessionFile(`${encodeMetadataLine(metadata)}\n`).metadata, metadata);
});

Deno.test("encodeMessageLine writes the place of an image, never the image", () => {
  const url = "data:image/png;base64,QUJD";
  const line = encodeMessageLine({
    role: "tool",
    tool_call_id: "c",
    name: "read_file",
    content: [
      { type: "text", text: "here" },
      { type: "image_url", image_url: { url }, _meta: { path: "/a.png" } },
      { type: "image_url", image_url: { url } },
    ],
  }, { timestampMs: NOW_MS, lineId: "t:1" });
  assert.deepEqual(parseMessageLine(line)?.message.content, [
    { type: "text", text: "here" },
    { type: "text", text: "[image: /a.png]" },
    { type: "text", text: "[image]" },
  ]);
});

Deno.test("storable gives back a message without images as it is", () => {
  const message: ChatMessage = { role: "user", content: [{ type: "text", text: "a" }] };
  assert.equal(storable(message), message);
});

Deno.test("encodeMessageLine is read back as the same message, on one line", () => {
  fc.assert(fc.property(anyMessage, fc.integer({ min: 0, max: NOW_MS }), (message, timestampMs) => {
    const line = encodeMessageLine(message, { timestampMs, lineId: "t:1", extras: { note: "n" } });
    assert.ok(!line.includes("\n"));
    const stored = parseMessageLine(line);
    assert.deepEqual(stored, {
      message: storable(message),
      timestampMs,
      lineId: "t:1",
      extras: { note: "n" },
    });
  }));
});

Deno.test.each([
  ["metadata", (deep: string) => `{"_type":"metadata","metadata":{"a":${deep}}}`],
  ["thinking", (deep: string) => `{"role":"assistant","thinking_blocks":[{"a":${deep}}]}`],
])("parseSessionFile takes %s for damaged that is nested without end", (_what, lineOf) => {
  const line = lineOf("[".repeat(20_000) + "]".repeat(20_000));
  const healthy = `{"role":"user","content":"hi"}\n`;
  const { damaged, healthyText } = parseSessionFile(`${line}\n${healthy}`);
  assert.deepEqual({ damaged, healthyText }, { damaged: [line], healthyText: healthy });
});

Deno.test("parseSessionFile never throws and loses no line, whatever stands in a file", () => {
  const anyLine = fc.oneof(
    anyText.map((text) => text.replaceAll("\n", "")),
    fc.json(),
    anyMessage.map((message: ChatMessage) => JSON.stringify(message)),
    fc.record({ role: fc.constantFrom("user", "assistant", "tool"), content: fc.anything() }).map((
      value,
    ) => JSON.stringify(value, (_key, inner) => typeof inner === "bigint" ? String(inner) : inner)),
    fc.record({
      _type: fc.constant("metadata"),
      key: fc.jsonValue(),
      metadata: fc.jsonValue(),
      last_consolidated: fc.jsonValue(),
    })
      .map((value) => JSON.stringify(value)),
  );
  fc.assert(fc.property(fc.array(anyLine), fc.constantFrom("\n", "\r\n"), (lines, end) => {
    const text = lines.join(end);
    const file = parseSessionFile(text);
    const kept = file.healthyText.split("\n").filter((line) => line.trim() !== "");
    const before = text.split("\n").filter((line) => line.trim() !== "");
    assert.equal(kept.length + file.damaged.length, before.length);
    const again = parseSessionFile(file.healthyText);
    assert.deepEqual(again.damaged, []);
    assert.deepEqual(again.messages, file.messages);
  }));
});

/** As it stands there, whether it was read at once or not. */
function whole({ message, timestampMs, lineId, extras }: StoredMessage): StoredMessage {
  return { message, timestampMs, lineId, extras };
}

Deno.test("readSessionText finds what parseSessionFile finds, and leaves plain words unread", async () => {
  const lines = fc.array(fc.oneof(
    fc.record({ message: anyMessage, lineId: anyText }).map(({ message, lineId }) =>
      encodeMessageLine(message, { timestampMs: NOW_MS, lineId, extras: { sender_id: "ou_1" } })
    ),
    fc.constantFrom(
      "{",
      "[]",
      "{}",
      `{"role":"user"}`,
      `{"role":"robot","content":"x"}`,
      `{"role":"user","content":"x","set_aside":["t1:0"],"line_id":7}`,
      `{"role":"assistant","content":"x","tool_calls":null}`,
      `{"role":"assistant","content":"x","tool_calls":1}`,
      `{"_type":"metadata","role":"user","content":"x"}`,
    ),
  ));
  await fc.assert(fc.asyncProperty(lines, async (some) => {
    const text = some.map((line) => `${line}\n`).join("");
    const { messages, ...rest } = await readSessionText(text, neverBreathe);
    const { messages: expected, ...same } = parseSessionFile(text);
    assert.deepEqual(rest, same);
    assert.deepEqual(messages.map(whole), expected);
    const isUnread = messages.map((stored) => stored instanceof UnreadMessage);
    const isWords = expected.map(({ message: { role, content }, extras }) =>
      role === "user" && typeof content === "string" && content !== "" &&
      extras["set_aside"] === undefined
    );
    for (const [index, isWord] of isWords.entries()) assert.ok(isUnread[index] || !isWord);
  }));
});
