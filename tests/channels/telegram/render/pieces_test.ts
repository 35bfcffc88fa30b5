import assert from "node:assert/strict";
import fc from "fast-check";
import { piecesOf, TEXT_UNITS_MAX } from "../../../../channels/telegram/render/pieces.ts";
import { readEntities } from "../../../simulators/telegram/entities.ts";

function render(text: string): string {
  return piecesOf(text, { isPlain: false }).map((piece) => piece.text).join("\n---\n");
}

function marks(text: string): string[] {
  return piecesOf(text, { isPlain: false }).flatMap(({ text: shown, entities }) =>
    entities.map(({ type, offset, length }) => `${type}: ${shown.slice(offset, offset + length)}`)
  );
}

Deno.test.each([
  { markdown: "# A title\n\nwords", text: "A title\n\nwords", mark: ["bold: A title"] },
  { markdown: "__init__ and a_b_c", text: "__init__ and a_b_c", mark: [] },
  {
    markdown: "*slanted* and _too_",
    text: "slanted and too",
    mark: ["italic: slanted", "italic: too"],
  },
  { markdown: "~~old~~", text: "old", mark: ["strikethrough: old"] },
  { markdown: "- one\n* two", text: "• one\n\n• two", mark: [] },
  { markdown: "- one\n  - deep\n- two", text: "• one\n  • deep\n• two", mark: [] },
  { markdown: "7.   x", text: "7. x", mark: [] },
  { markdown: "- [x] done\n- [ ] open", text: "☑ done\n☐ open", mark: [] },
  { markdown: "> quoted\n> words", text: "quoted\nwords", mark: ["blockquote: quoted\nwords"] },
  { markdown: 'A [t](https://a.io/?q="x") b', text: "A t b", mark: ["text_link: t"] },
  { markdown: "[t](javascript:alert)", text: "t (javascript:alert)", mark: [] },
  { markdown: "https://a.io/x_y_z", text: "https://a.io/x_y_z", mark: [] },
  { markdown: "**a `b` c**", text: "a b c", mark: ["bold: a ", "bold:  c", "code: b"] },
  { markdown: "**a *b* c**", text: "a b c", mark: ["bold: a b c", "italic: b"] },
  { markdown: "A < B &amp; C &lt; D", text: "A < B & C < D", mark: [] },
  { markdown: "one  \ntwo<br>three", text: "one\ntwo\nthree", mark: [] },
  { markdown: "a\n\n---\n\nb", text: "a\n\n———\n\nb", mark: [] },
])("Telegram renders $markdown", ({ markdown, text, mark }) => {
  assert.equal(render(markdown), text);
  assert.deepEqual(marks(markdown), mark);
});

Deno.test("Telegram keeps the language of code", () => {
  const [piece] = piecesOf("```python title=x\nprint(1)\n```", { isPlain: false });
  assert.deepEqual(piece?.entities, [{ type: "pre", language: "python", offset: 0, length: 8 }]);
});

Deno.test("Telegram shows a table in columns, wide characters counted twice", () => {
  const table = "| Name | 数 |\n|---|--:|\n| **a** | 1 |\n| 中文 | 22 |";
  assert.equal(render(table), "Name  数\n────  ──\na      1\n中文  22");
  assert.equal(render("| no | rule |\n| 1 | 2 |"), "| no | rule |\n| 1 | 2 |");
});

Deno.test("Telegram shows plain text as it is", () => {
  const [piece] = piecesOf("# **x** `y`", { isPlain: true });
  assert.deepEqual(piece, { text: "# **x** `y`", entities: [] });
});

Deno.test("Telegram keeps a block whole that fits into a message of its own", () => {
  const long = "word ".repeat(700).trim();
  const pieces = piecesOf(`${long}\n\n\`\`\`\n${"line\n".repeat(300)}\`\`\``, { isPlain: false });
  assert.deepEqual(pieces.map(({ entities }) => entities.length), [0, 1]);
});

Deno.test("Telegram never sends more than a hundred marks with a message", () => {
  const pieces = piecesOf("**b** ".repeat(150), { isPlain: false });
  assert.equal(pieces.length, 2);
  assert.equal(pieces.flatMap(({ entities }) => entities).length, 150);
  for (const { entities } of pieces) assert.ok(entities.length <= 100);
});

const fragment = fc.constantFrom(
  "word ",
  "**bold** ",
  "*it* ",
  "`code` ",
  "**b `c` *d*** ",
  "[l `x`](https://a.io) ",
  "\n\n",
  "\n- item\n",
  "\n> quote **b** `c`\n\n",
  "\n> > deep\n\n",
  "\n```js\nlet a;\n```\n",
  "\n\n| a | b |\n|---|---|\n| 1 | **2** |\n\n",
  "𠮷👩‍👩‍👧‍👦",
  "# t\n",
  "~~x~~",
  "x".repeat(900),
);

Deno.test("Telegram takes every piece of every text", () => {
  fc.assert(fc.property(fc.array(fragment, { maxLength: 60 }), (fragments) => {
    for (const { text, entities } of piecesOf(fragments.join(""), { isPlain: false })) {
      assert.ok(text.length > 0 && text.length <= TEXT_UNITS_MAX);
      assert.ok(text.isWellFormed());
      assert.equal(readEntities(entities, text).fault, null);
    }
  }));
});

Deno.test("Telegram loses no word, whatever the text is cut into", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12_000 }), fc.nat(), (count, seed) => {
      const words = Array.from({ length: count }, (_, index) => `w${(index * 7 + seed) % 9_973}`);
      const shown = piecesOf(words.join(" "), { isPlain: false }).map(({ text }) => text).join(" ");
      assert.deepEqual(shown.split(/\s+/), words);
    }),
    { numRuns: 30 },
  );
});
