import assert from "node:assert/strict";
import fc from "fast-check";
import { codeColors, type CodePart } from "../../../../channels/cli/markdown/code_colors.ts";

/** What stands out in the lines, as `part:text`. */
function parts(language: string, ...lines: readonly string[]): string[] {
  const color = codeColors(language);
  assert.ok(color !== null);
  return lines.flatMap((line) =>
    color(line).filter(([part]) => part !== "plain").map(([part, text]) => `${part}:${text}`)
  );
}

Deno.test.each<[string, string, readonly string[]]>([
  ["ts", `let a = "x // y" + 1.5e3;`, ["keyword:let", `string:"x // y"`, "number:1.5e3"]],
  ["js", "f('it\\'s')", ["string:'it\\'s'"]],
  ["python", "def f(): # why", ["keyword:def", "comment:# why"]],
  ["bash", "echo $#; curl http://a#b", []],
  ["sql", "SELECT a -- all\n", ["keyword:SELECT", "comment:-- all\n"]],
  ["rust", "fn f<'a>(x: &'a str) {}", ["keyword:fn", "keyword:str"]],
  ["json", `{"a": true, "b": 12}`, [`string:"a"`, "keyword:true", `string:"b"`, "number:12"]],
  ["diff", "+new", ["added:+new"]],
  ["diff", "-old", ["removed:-old"]],
])("Code in %s has its parts: %s", (language, line, expected) => {
  assert.deepEqual(parts(language, line), expected);
});

Deno.test("A comment, a template and a long string go on over lines", () => {
  assert.deepEqual(parts("ts", "a /* b", "c */ if"), [
    "comment:/* b",
    "comment:c */",
    "keyword:if",
  ]);
  assert.deepEqual(parts("ts", "`a", "b` 1"), ["string:`a", "string:b`", "number:1"]);
  assert.deepEqual(parts("py", `"""a`, `b""" 1`), [`string:"""a`, `string:b"""`, "number:1"]);
  assert.deepEqual(parts("ts", `"open`, "if"), [`string:"open`, "keyword:if"]);
});

Deno.test("A language that is not known has no colours", () => {
  assert.equal(codeColors("brainfuck"), null);
  assert.equal(codeColors(""), null);
});

Deno.test("Colouring changes no line, whatever stands in it", () => {
  const piece = fc.constantFrom("'", '"', "`", "/*", "*/", "//", "#", "\\", "a1", "1a", " ", "世");
  const language = fc.constantFrom("ts", "py", "go", "sh", "yaml", "sql", "diff");
  fc.assert(fc.property(language, fc.array(fc.array(piece)), (name, lines) => {
    const color = codeColors(name);
    for (const line of lines.map((pieces) => pieces.join(""))) {
      const parts: readonly (readonly [CodePart, string])[] = color?.(line) ?? [];
      assert.equal(parts.map(([, text]) => text).join(""), line);
    }
  }));
});
