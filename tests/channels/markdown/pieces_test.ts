import assert from "node:assert/strict";
import fc from "fast-check";
import type { Dialect } from "../../../channels/markdown/dialect.ts";
import { markdownPieces } from "../../../channels/markdown/pieces.ts";

/** Markdown as it is written, nothing escaped. */
const BARE: Dialect = {
  sign: (character) => `\\${character}`,
  running: (text) => text,
  literal: (text) => text,
  picture: () => null,
  lineEnd: "\n",
  atoms: /\\[!-/]/,
};

function pieces(text: string, charactersMax: number): readonly string[] {
  return markdownPieces(text, {
    dialect: BARE,
    fits: (piece) => piece.length <= charactersMax,
  });
}

Deno.test("markdownPieces leaves a short text in one piece", () => {
  const text = "# Title\n\nWords:\n- one\n- two\n\n> quoted";
  assert.deepEqual(pieces(text, 1_000), [text]);
});

Deno.test("markdownPieces gives nothing for a blank text", () => {
  assert.deepEqual(pieces(" \n\n", 100), []);
});

Deno.test("markdownPieces cuts between blocks before it cuts one", () => {
  assert.deepEqual(pieces("one two\n\nthree four\n\nfive", 18), [
    "one two",
    "three four\n\nfive",
  ]);
});

Deno.test("markdownPieces takes a heading along to what it stands over", () => {
  assert.deepEqual(pieces("first words\n\n## Next\n\nsecond words", 26), [
    "first words",
    "## Next\n\nsecond words",
  ]);
});

Deno.test("markdownPieces opens a fence again in every piece", () => {
  const code = Array.from({ length: 6 }, (_, index) => `  line ${index}`).join("\n");
  const cut = pieces(`\`\`\`ts\n${code}\n\`\`\``, 40);
  assert.ok(cut.length > 1);
  for (const piece of cut) assert.match(piece, /^```ts\n[^`]*\n```$/);
});

Deno.test("markdownPieces repeats a table's head over every piece", () => {
  const rows = Array.from({ length: 6 }, (_, index) => `| ${index} | b |`);
  const cut = pieces(["| n | v |", "| --- | --- |", ...rows].join("\n"), 60);
  assert.ok(cut.length > 1);
  for (const piece of cut) assert.ok(piece.startsWith("| n | v |\n| --- | --- |\n"), piece);
});

Deno.test("markdownPieces keeps every word, in pieces that fit", () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/);
  const paragraph = fc.array(word, { minLength: 1, maxLength: 30 });
  fc.assert(fc.property(fc.array(paragraph, { maxLength: 8 }), (paragraphs) => {
    const text = paragraphs.map((words) => words.join(" ")).join("\n\n");
    const cut = pieces(text, 50);
    assert.ok(cut.every((piece) => piece.length <= 50 && piece.trim() !== ""));
    assert.deepEqual(cut.flatMap((piece) => piece.split(/\s+/)), paragraphs.flat());
  }));
});
