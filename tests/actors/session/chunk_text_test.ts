import assert from "node:assert/strict";
import fc from "fast-check";
import { chunkText } from "../../../actors/session/chunk_text.ts";
import { lastSummary, withSummary } from "../../../actors/session/last_summary.ts";
import type { StoredMessage } from "../../../actors/session/session_file.ts";
import type { ChatMessage } from "../../../providers/provider.ts";
import { estimateTextTokens } from "../../../providers/tokens.ts";
import { anyMessage } from "./arbitrary_messages.ts";

function stored(message: ChatMessage): StoredMessage {
  return { message, timestampMs: Date.UTC(2026, 0, 2, 3, 4, 5), lineId: null, extras: {} };
}

Deno.test("chunkText has a line for each message, with calls and pictures in words", () => {
  const call = { name: "read_file", arguments: '{"path":"a.txt"}' };
  const text = chunkText([
    stored({
      role: "user",
      content: [
        { type: "text", text: "看看" },
        { type: "image_url", image_url: { url: "data:" }, _meta: { path: "/m/a.png" } },
      ],
    }),
    stored({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: call }],
    }),
    stored({ role: "tool", tool_call_id: "c1", name: "read_file", content: "hello" }),
    stored({ role: "assistant", content: " " }),
    { ...stored({ role: "assistant", content: "done" }), timestampMs: null },
  ], 1_000);
  assert.deepEqual(text.split("\n"), [
    "[2026-01-02T03:04] USER: 看看 [image: /m/a.png]",
    '[2026-01-02T03:04] ASSISTANT: [calls read_file {"path":"a.txt"}]',
    "[2026-01-02T03:04] TOOL read_file: hello",
    "[?] ASSISTANT: done",
  ]);
});

Deno.test("chunkText shortens the longest messages first", () => {
  const text = chunkText([
    stored({ role: "user", content: "short question" }),
    stored({ role: "tool", tool_call_id: "c", name: "exec", content: "r".repeat(100_000) }),
    stored({ role: "assistant", content: "short answer" }),
  ], 500);
  assert.match(text, /short question\n.*r+ \[… \d+ characters …\] r+\n.*short answer/);
});

Deno.test("chunkText keeps to its tokens, whatever was said", () => {
  fc.assert(fc.property(
    fc.array(anyMessage, { maxLength: 40 }),
    fc.integer({ min: 100, max: 2_000 }),
    (messages, tokensMax) => {
      const text = chunkText(messages.map(stored), tokensMax);
      assert.ok(estimateTextTokens(text) <= tokensMax * 1.5 + 50);
      assert.ok(text.isWellFormed());
    },
  ));
});

Deno.test("A summary of nanobot's is understood, and grows by further rounds", () => {
  const first = { _last_summary: { text: "- a", last_active: "2026-01-02T03:04:05" }, other: 1 };
  assert.equal(lastSummary(first)?.text, "- a");
  const next = withSummary(first, { text: "- b\n", untilMs: Date.UTC(2026, 0, 3) });
  assert.deepEqual(next, {
    _last_summary: { text: "- a\n- b", last_active: "2026-01-03T00:00:00.000Z" },
    other: 1,
  });
});

Deno.test("A summary is bounded: its oldest lines go first", () => {
  let metadata = {};
  for (let n = 0; n < 300; n++) {
    metadata = withSummary(metadata, { text: `- fact ${n} ${"x".repeat(90)}`, untilMs: null });
  }
  const text = lastSummary(metadata)?.text ?? "";
  assert.ok(text.length <= 8_000);
  assert.match(text, /^- fact 2\d\d /);
  assert.match(text, /- fact 299 x+$/);
});

Deno.test.each([{}, { _last_summary: "old" }, { _last_summary: { text: " " } }])(
  "There is no summary in %j",
  (metadata) => {
    assert.equal(lastSummary(metadata), null);
  },
);

Deno.test.each(["summariser", "archive"] as const)(
  "What recall gave is no news for the %s",
  (reader) => {
    const call = { name: "recall", arguments: '{"query":"marina locker"}' };
    const text = chunkText(
      [
        stored({ role: "user", content: "where was it?" }),
        stored({
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: call }],
        }),
        stored({
          role: "tool",
          tool_call_id: "c1",
          name: "recall",
          content: "1. the marina locker",
        }),
        stored({ role: "assistant", content: "At the marina." }),
      ],
      1_000,
      reader,
    );
    assert.deepEqual(text.split("\n"), [
      "[2026-01-02T03:04] USER: where was it?",
      "[2026-01-02T03:04] ASSISTANT: At the marina.",
    ]);
  },
);

Deno.test("An archive keeps what was said, and a line of what a tool gave", () => {
  const said = "every word counts ".repeat(50).trim();
  const text = chunkText(
    [
      stored({ role: "user", content: said }),
      stored({ role: "tool", tool_call_id: "c", name: "exec", content: "r".repeat(3_000) }),
    ],
    4_000,
    "archive",
  );
  const [first = "", second = ""] = text.split("\n");
  assert.equal(first, `[2026-01-02T03:04] USER: ${said}`);
  assert.match(second, /TOOL exec: r{90} \[… 2880 characters …\] r{30}$/);
});
