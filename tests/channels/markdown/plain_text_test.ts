import assert from "node:assert/strict";
import fc from "fast-check";
import { cutText, plainPieces, plainText } from "../../../channels/markdown/plain_text.ts";

Deno.test.each([
  [
    "# Title\n\nSome **bold**, *slanted*, ~~old~~ and `co_de`.",
    "Title\n\nSome bold, slanted, old and co_de.",
  ],
  [
    "- one\n- two\n  - deeper\n\n3. third\n4. fourth",
    "• one\n• two\n  • deeper\n\n3. third\n4. fourth",
  ],
  ["- [x] done\n- [ ] open", "☑ done\n☐ open"],
  ["> quoted\n> words", "> quoted\n> words"],
  ["```ts\nif (a) {\n  *b*;\n}\n```", "if (a) {\n  *b*;\n}"],
  ["| a | b |\n|---|---|\n| 1 | **2** |", "a | b\n1 | 2"],
  [
    "[words](https://a.example/b) <https://a.example> ![pic](x.png)",
    "words (https://a.example/b) https://a.example pic",
  ],
  ["one\n\n---\n\ntwo<br>three", "one\n\n———\n\ntwo\nthree"],
])("Markdown without marks says what it says, case %#", (markdown, plain) => {
  assert.equal(plainText(markdown), plain);
});

Deno.test("Plain text stands as it is", () => {
  assert.deepEqual(plainPieces(" # no *title* ", { isPlain: true, charsMax: 100 }), [
    "# no *title*",
  ]);
  assert.deepEqual(plainPieces(" \n", { isPlain: true, charsMax: 100 }), []);
});

Deno.test("Text is cut at lines, else between words, and keeps how lines stand in", () => {
  assert.deepEqual(cutText("  one two\n  three four", 14), ["  one two", "  three four"]);
  assert.deepEqual(cutText("one two three", 8), ["one two", "three"]);
});

Deno.test("Text is never cut in a character, and nothing of it is lost", () => {
  const family = "👩‍👩‍👧‍👦";
  for (const piece of cutText(family.repeat(50), 100)) {
    assert.equal(piece.length % family.length, 0);
  }
  fc.assert(fc.property(
    fc.string({ unit: "grapheme", maxLength: 300 }),
    fc.integer({ min: 80, max: 120 }),
    (text, charsMax) => {
      const pieces = cutText(text, charsMax);
      assert.ok(pieces.every((piece) => piece.length <= charsMax));
      assert.equal(pieces.join("").replace(/\s/g, ""), text.replace(/\s/g, ""));
    },
  ));
});
