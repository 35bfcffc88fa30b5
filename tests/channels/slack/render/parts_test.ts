import assert from "node:assert/strict";
import * as fc from "fast-check";
import { blocksOf } from "../../../../channels/slack/render/blocks.ts";
import { intoMessages, MESSAGE_CHARS_MAX } from "../../../../channels/slack/render/parts.ts";
import { blockWords, escaped, richText } from "../../../../channels/slack/render/rich.ts";
import { blocksSchema, seenIn } from "../../../simulators/slack/blocks.ts";
import { document, wordsIn } from "../../feishu/render/documents.ts";

/** What people see of the messages that show `text`. */
function seen(text: string): readonly string[] {
  return intoMessages(blocksOf(text)).map((message) => {
    const blocks = blocksSchema.parse(JSON.parse(JSON.stringify(richText(message))));
    assert.ok(escaped(blockWords(message)).length <= MESSAGE_CHARS_MAX);
    return seenIn(blocks, (id) => id).text;
  });
}

Deno.test.each(
  [
    ["a **b** *c* ~~d~~ `e`", "a b c d e"],
    ["这是**粗体**文字", "这是粗体文字"],
    ["one\n\ntwo", "one\n\ntwo"],
    ["# One\n\ntwo", "One\n\ntwo"],
    ["> quoted\n> more", "quoted\nmore"],
    ["- a\n- b\n  - c\n- d", "• a\n• b\n    • c\n• d"],
    ["3. a\n4. b", "3. a\n4. b"],
    ["1. a\n\n   ```\n   code\n   ```\n2. b", "1. a\ncode\n2. b"],
    ["- [x] done\n- [ ] open", "• ☑ done\n• ☐ open"],
    ["[words](https://a.b/c)", "words"],
    ["[words](file.md)", "words (file.md)"],
    ["see https://a.b/?c=1&d=2 & more", "see https://a.b/?c=1&d=2 & more"],
    ["![alt](https://a.b/c.png)", "alt"],
    ["a<br>b", "a\nb"],
    ["<div>x</div>", "<div>x</div>"],
    ["\\*not bold\\* :smile: 5*3*2", "*not bold* :smile: 5*3*2"],
    ["> - a\n> - b", "• a\n• b"],
    ["---", "──────────"],
    ["", ""],
  ] as const,
)("Slack shows %j", (markdown, text) => {
  assert.equal(seen(markdown).join("\n"), text);
});

Deno.test("Slack shows a narrow table in columns that stand below each other", () => {
  const table = "| 名 | Count |\n|---|--:|\n| a | 1 |\n| 很长的 | 22 |";
  assert.deepEqual(seen(table), [
    "名      Count\n──────  ─────\na           1\n很长的     22",
  ]);
});

Deno.test("Slack shows a wide table as a line for each row, empty cells left out", () => {
  const long = "word ".repeat(15).trim();
  const table = `| A | B | C |\n|---|---|---|\n| ${long} | | *x* |\n| y | ${long} | |`;
  assert.deepEqual(seen(table), [`A: ${long} · C: x\n\nA: y · B: ${long}`]);
});

Deno.test("Slack keeps the numbers of a list that goes on in a further message", () => {
  const items = Array.from({ length: 100 }, (_, index) => `${index + 1}. ${"word ".repeat(20)}`);
  const lines = seen(items.join("\n")).flatMap((text) => text.split("\n"));
  assert.deepEqual(lines.map((line) => parseInt(line)), items.map((_, index) => index + 1));
});

Deno.test("Slack breaks no sign in two", () => {
  const signs = "👩‍👩‍👧‍👦".repeat(1_000);
  const pieces = seen(signs);
  assert.ok(pieces.length > 1);
  for (const piece of pieces) assert.equal(piece.replaceAll("👩‍👩‍👧‍👦", ""), "");
  assert.equal(pieces.join(""), signs);
});

Deno.test("Slack shows every word of a document in order, in messages that Slack takes", () => {
  const words = (text: string): readonly string[] => wordsIn(text).filter((w) => w.startsWith("w"));
  fc.assert(
    fc.property(document, (markdown) => {
      assert.deepEqual(words(seen(markdown).join("\n")), words(markdown));
    }),
    { numRuns: 150 },
  );
});

Deno.test("Slack shows the head of a wide table without rows", () => {
  const head = Array.from({ length: 12 }, (_, index) => `column ${index}`);
  const [text = ""] = seen(`| ${head.join(" | ")} |\n|${"---|".repeat(12)}`);
  assert.equal(text, head.join(" · "));
});

Deno.test("Slack takes whatever text there is", () => {
  const text = fc.string({ unit: "binary", maxLength: 6_000 });
  fc.assert(
    fc.property(text, (markdown) => {
      for (const piece of seen(markdown)) assert.notEqual(piece, "");
    }),
    { numRuns: 200 },
  );
});
