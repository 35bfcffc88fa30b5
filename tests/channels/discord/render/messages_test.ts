import assert from "node:assert/strict";
import fc from "fast-check";
import { layOut, MESSAGE_CHARS_MAX } from "../../../../channels/discord/render/messages.ts";
import { visible } from "../../../simulators/discord/visible.ts";

function one(text: string): string {
  return layOut(text, { isPlain: false }).join("\n=====\n");
}

Deno.test.each([
  { text: "**a** __b b__ *c* _d_ ~~e~~ `f`", shown: "**a** **b b** *c* *d* ~~e~~ `f`" },
  { text: "#### Deep **x**", shown: "**Deep x**" },
  { text: "a || b || c", shown: "a \\|\\| b \\|\\| c" },
  { text: "1986\\. A year", shown: "1986\\. A year" },
  { text: "\\# no title", shown: "\\# no title" },
  { text: "see https://x.y/a_b_c*d", shown: "see https://x.y/a_b_c*d" },
  { text: "[a](https://x.y/(b)) ![p](q.png)", shown: "[a](https://x.y/%28b%29) p" },
  { text: "- [x] done\n- [ ] open", shown: "- ☑ done\n- ☐ open" },
  { text: "1. a\n   - b\n2. c", shown: "1. a\n   - b\n2. c" },
  { text: "> a\n> b", shown: "> a\n> b" },
  { text: "a\n\n---\n\nb", shown: "a\n\n──────────\n\nb" },
  { text: "`` a`b ``", shown: "`` a`b ``" },
])("Discord's markup for case %#", ({ text, shown }) => {
  assert.equal(one(text), shown);
});

Deno.test("Code that holds a fence stays one block", () => {
  const code = "```js\nconst a = '```';\n```";
  const [message = ""] = layOut(`~~~\n${code}\n~~~`, { isPlain: false });
  const { code: blocks } = visible(message);
  assert.equal(blocks.length, 1);
  assert.equal(blocks[0]?.replaceAll("\u200b", ""), code);
});

Deno.test("A wide table stands line by line under its heads", () => {
  const wide = "word ".repeat(12).trim();
  assert.equal(
    one(`| Name | Note |\n|---|---|\n| a | ${wide} |\n| b | c |`),
    `**Name**: a · **Note**: ${wide}\n**Name**: b · **Note**: c`,
  );
});

Deno.test("A narrow table stands in columns, Han characters counted as two", () => {
  assert.equal(
    one("| 名 | N |\n|---|--:|\n| 张三 | 1 |\n| a | 22 |"),
    "```\n名     N\n────  ──\n张三   1\na     22\n```",
  );
});

Deno.test("Emphasis is closed and opened again where a paragraph is cut", () => {
  const messages = layOut(`**${"word ".repeat(900).trim()}**`, { isPlain: false });
  assert.ok(messages.length > 2);
  for (const message of messages) assert.match(message, /^\*\*word[^*]+word\*\*$/);
});

Deno.test("No message is blank or too long, whatever the text", () => {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 400 }),
    fc.constantFrom("```js\n", "\n```\n", "| a | b |\n|---|---|\n", "- ", "> ", "# ", "\n\n", "**"),
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), fc.boolean(), (pieces, isPlain) => {
    for (const message of layOut(pieces.join(""), { isPlain })) {
      assert.ok(message.length <= MESSAGE_CHARS_MAX, `${message.length}`);
      assert.notEqual(message.trim(), "");
      assert.ok(message.isWellFormed());
    }
  }));
});

Deno.test("Every word of a plain text is shown, in order", () => {
  const word = fc.string({ unit: fc.constantFrom(..."ab*_~`|#>-.[]()\\<1"), minLength: 1 });
  fc.assert(fc.property(fc.array(word, { minLength: 1, maxLength: 60 }), (words) => {
    const text = words.join(" ");
    const shown = layOut(text, { isPlain: true }).map((message) => visible(message).text);
    assert.equal(shown.join(" ").replace(/\s+/g, " ").trim(), text.trim());
  }));
});
