import assert from "node:assert/strict";
import { joinedLines } from "../../channels/joined_lines.ts";

Deno.test.each([
  ["one", "one"],
  ["one \n two\n\n  three", "one two three"],
  [" a  b\t\n", " a  b "],
  ["\r\n你好\u3000\n世界", " 你好 世界"],
])("joinedLines makes of %j one line", (text, line) => {
  assert.equal(joinedLines(text), line);
});

Deno.test("joinedLines looks at a long run of blanks once", () => {
  const text = `a${" ".repeat(200_000)}b`;
  const startMs = performance.now();
  assert.equal(joinedLines(text), text);
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs < 1_500, `${Math.round(tookMs)} ms`);
});
