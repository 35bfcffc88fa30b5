import assert from "node:assert/strict";
import fc from "fast-check";
import { messagesOf } from "../../../../channels/dingtalk/render/messages.ts";
import { visibleMarkdown } from "../../../contract/channel/visible_markdown.ts";

function texts(text: string): readonly string[] {
  return messagesOf(text, false).map(({ msgParam }) => String(msgParam["text"]));
}

Deno.test("DingTalk shows a picture by address as a link", () => {
  assert.deepEqual(texts("![a cat](https://example.com/cat.png)"), [
    "[a cat](https://example.com/cat.png)",
  ]);
});

Deno.test("DingTalk breaks lines where the writer did", () => {
  assert.deepEqual(texts("one\ntwo"), ["one  \ntwo"]);
});

Deno.test.each<readonly [string, string]>([
  ["# A **title**", "A title"],
  ["```js\nlet a;\n```", "let a;"],
  ["- one\n- two", "one two"],
  ["---", "---"],
  ["word ".repeat(30), `${"word ".repeat(7)}word…`],
])("DingTalk's title of %j is %j", (text, title) => {
  assert.equal(messagesOf(text, false)[0]?.msgParam["title"], title);
});

Deno.test("DingTalk gets no message of more bytes than it takes", () => {
  for (const isPlain of [false, true]) {
    for (const { msgParam } of messagesOf('𠮷"\\\n'.repeat(9_000), isPlain)) {
      assert.ok(new TextEncoder().encode(JSON.stringify(msgParam)).length <= 20_000);
    }
  }
});

Deno.test("DingTalk's plain messages hold every character, and cut none", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.integer({ max: 300, min: 100 }),
      (unit, times) => {
        const text = unit.repeat(times);
        const pieces = messagesOf(text, true).map(({ msgParam }) => String(msgParam["content"]));
        const bare = (words: string): string => words.replace(/\s/g, "");
        assert.equal(bare(pieces.join("")), bare(text));
      },
    ),
    { numRuns: 30 },
  );
});

Deno.test("DingTalk shows signs in running text for what they are", () => {
  const sign = fc.constantFrom("*", "_", "`", "~", "[", "]", "<b", "\\", "a", " b", "(c)", "2");
  fc.assert(fc.property(fc.array(sign, { minLength: 1, maxLength: 12 }), (signs) => {
    // As the writer of the answer would have to spell it.
    const meant = `x ${signs.join("")} y`.replace(/ +/g, " ");
    const written = meant.replace(/[\\*_`~[\]<(]/g, (character) => `\\${character}`);
    assert.equal(visibleMarkdown(texts(written)[0] ?? "").text, meant);
  }));
});
