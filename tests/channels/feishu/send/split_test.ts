import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonBytes, splitMarkdown, splitPlain } from "../../../../channels/feishu/send/split.ts";

Deno.test("splitMarkdown leaves a text that fits as it is", () => {
  const text = "  a\n\n\n```\nb\n```\nc  ";
  assert.deepEqual(splitMarkdown(text, { bytesMax: 100 }), [text]);
});

Deno.test("splitMarkdown cuts between paragraphs where it can", () => {
  const text = "first paragraph\n\nsecond paragraph\n\nthird";
  assert.deepEqual(splitMarkdown(text, { bytesMax: 40 }), [
    "first paragraph\n\nsecond paragraph",
    "third",
  ]);
});

Deno.test("splitMarkdown begins a cut code fence anew", () => {
  const text = "```ts\n" + "let a = 1;\n".repeat(8) + "```";
  const pieces = splitMarkdown(text, { bytesMax: 80 });
  assert.ok(pieces.length > 1);
  for (const piece of pieces) assert.match(piece, /^```ts\n(?:let a = 1;\n)+```$/);
});

Deno.test("splitMarkdown repeats the head of a cut table", () => {
  const head = "| a | b |\n|---|---|";
  const rows = Array.from({ length: 12 }, (_, index) => `| ${index} | x |`);
  const pieces = splitMarkdown([head, ...rows].join("\n"), { bytesMax: 90 });
  assert.ok(pieces.length > 1);
  for (const piece of pieces) assert.ok(piece.startsWith(head));
  const shown = pieces.flatMap((piece) => piece.split("\n").slice(2));
  assert.deepEqual(shown, rows);
});

Deno.test("splitMarkdown keeps the number of tables, but counts none in code", () => {
  const table = "| a |\n|---|\n| 1 |";
  const text = [table, "```\n" + table + "\n```", table, table].join("\n\n");
  const pieces = splitMarkdown(text, { bytesMax: 10_000, tablesMax: 2 });
  assert.deepEqual(pieces, [[table, "```\n" + table + "\n```", table].join("\n\n"), table]);
});

Deno.test("splitMarkdown cuts a line that has no better place, between characters", () => {
  const pieces = splitMarkdown("🎭".repeat(100), { bytesMax: 50 });
  assert.equal(pieces.join(""), "🎭".repeat(100));
  for (const piece of pieces) assert.ok(piece.isWellFormed());
});

Deno.test.each(["", " ", "\n\n \n"])("splitMarkdown gives nothing for %j", (text) => {
  assert.deepEqual(splitMarkdown(text, { bytesMax: 100 }), []);
});

const markdown = fc.array(
  fc.oneof(
    fc.constantFrom("", "```js", "```", "| a | b |", "|---|---|", "| 1 | 2 |", "# T", "- item"),
    fc.string({ maxLength: 60, unit: "grapheme" }),
  ),
  { maxLength: 40 },
).map((lines) => lines.join("\n"));

Deno.test("splitMarkdown keeps the size and loses no word", () => {
  const letters = (text: string): string => text.replace(/[\s`~|-]/g, "");
  fc.assert(fc.property(markdown, fc.integer({ min: 120, max: 400 }), (text, bytesMax) => {
    const pieces = splitMarkdown(text, { bytesMax });
    for (const piece of pieces) {
      assert.ok(jsonBytes(piece) <= bytesMax, `${jsonBytes(piece)} > ${bytesMax}`);
      assert.notEqual(piece.trim(), "");
    }
    const isCutFrame = /```js|\| a \| b \|/.test(text);
    if (!isCutFrame) assert.equal(letters(pieces.join("")), letters(text));
    else assert.ok(letters(pieces.join("")).length >= letters(text).length);
  }));
});

Deno.test("splitPlain keeps every line as it is", () => {
  const lines = Array.from({ length: 50 }, (_, index) => `| line ${index} |`);
  const pieces = splitPlain(lines.join("\n"), 100);
  assert.ok(pieces.length > 1);
  assert.deepEqual(pieces.flatMap((piece) => piece.split("\n")), lines);
  for (const piece of pieces) assert.ok(jsonBytes(piece) <= 100);
});
