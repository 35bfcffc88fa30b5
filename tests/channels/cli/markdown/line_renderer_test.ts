import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { MarkdownLines } from "../../../../channels/cli/markdown/line_renderer.ts";

function rendered(source: string, columns = 80): string {
  const lines = new MarkdownLines(() => columns);
  return source.split("\n").map((line) => lines.line(line)).join("") + lines.end();
}

function plain(source: string, columns?: number): string {
  return stripVTControlCharacters(rendered(source, columns)).replace(/\n$/, "");
}

Deno.test.each([
  ["# A **title** ##", "A title"],
  ["text with **bold**, *italic*, ~~gone~~ and `code`", "text with bold, italic, gone and code"],
  ["- one\n  * two\n1. three", "• one\n  • two\n1. three"],
  ["- [ ] to do\n- [x] done", "☐ to do\n☑ done"],
  ["> said\n> > before", "│ said\n│ │ before"],
  ["[Deno](https://deno.com) <https://a.b>", "Deno (https://deno.com) https://a.b"],
  ["---", "─".repeat(60)],
  ["5*3*2 and __init__", "5*3*2 and __init__"],
  ["a | b", "a | b"],
  ["", ""],
])("MarkdownLines shows %j as people read it", (source, expected) => {
  assert.equal(plain(source), expected);
});

Deno.test("MarkdownLines makes what is strong bold, and a keyword stand out", () => {
  assert.equal(rendered("**a**"), "\x1b[1ma\x1b[22m\n");
  assert.equal(rendered("### **a** b"), "\x1b[1m\x1b[1ma\x1b[22m\x1b[1m b\x1b[22m\n");
  assert.equal(
    rendered("```ts\nconst a = 1; // why\n```"),
    "\x1b[2m```ts\x1b[22m\n" +
      "\x1b[35mconst\x1b[39m a = \x1b[33m1\x1b[39m; \x1b[90m// why\x1b[39m\n" +
      "\x1b[2m```\x1b[22m\n",
  );
});

Deno.test("MarkdownLines leaves everything inside of a fence as it is", () => {
  const code = "````md\n# no title\n```\n| a | b |\n|---|---|\n**not bold**\n````";
  assert.equal(plain(code), code);
});

Deno.test("MarkdownLines brings columns in line, wide characters and looks included", () => {
  const table = "| name | n |\n|:--|--:|\n| **你好** | 1 |\n| `x` | 22 |\n";
  assert.equal(plain(table), "name   n\n────  ──\n你好   1\nx     22\n");
});

Deno.test("MarkdownLines shows a table as it was written where there is no room", () => {
  const table = "| name | text |\n|---|---|\n| a | far too long for this window |";
  assert.equal(plain(table, 20), table);
});

Deno.test("MarkdownLines shows a line at once, and a table at its end", () => {
  const lines = new MarkdownLines(() => 80);
  assert.equal(lines.line("first"), "first\n");
  assert.equal(lines.line("|a|b|"), "");
  assert.equal(lines.line("|-|-|"), "");
  assert.equal(lines.line("|1|2|"), "");
  assert.equal(stripVTControlCharacters(lines.line("after")), "a  b\n─  ─\n1  2\nafter\n");
});

Deno.test("MarkdownLines loses no letter of any text, and keeps its lines", () => {
  const piece = fc.constantFrom("a", "世", " ", "\n", "```", "|", "-", "*", "`", "> ", "# ", "1. ");
  fc.assert(fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
    const source = pieces.join("");
    const letters = (text: string) => text.replaceAll(/[^a世]/g, "");
    const shown = stripVTControlCharacters(rendered(source));
    assert.equal(letters(shown), letters(source));
    assert.ok(shown.endsWith("\n"));
  }));
});
