import assert from "node:assert/strict";
import fc from "fast-check";
import { VisibleText, visibleText } from "../../providers/visible_text.ts";

Deno.test.each([
  ["plain text", "Hello there", "Hello there"],
  ["a block at the start", "<think>secret</think>Answer", "Answer"],
  ["a block in the middle", "Before <think>secret</think>after", "Before after"],
  ["a thought block", "<thought>secret</thought>\n\nAnswer", "Answer"],
  ["several blocks", "<think>a</think>One <think>b</think>two", "One two"],
  ["angle brackets in a block", "<think>a < b > c <p>x</p></think>Answer", "Answer"],
  ["a blank block", "<think>  \n </think>Answer", "Answer"],
  ["nothing but a block", "<think>secret</think>", ""],
  ["an unclosed block at the start", "<think>secret that never ends", ""],
  ["an unclosed block behind blanks", "  \n<thought>secret", ""],
  ["an unclosed block behind a closed one", "<think>a</think>\n<think>b", ""],
  ["a mention of an opener", "Use the <think> tag", "Use the <think> tag"],
  ["a block behind a mention", "A <think> and <thought>x</thought>b", "A <think> and b"],
  ["a self-closing tag", "<think/>Answer", "<think/>Answer"],
  ["a longer name", "<thinker>x</thinker>", "<thinker>x</thinker>"],
  ["a name with a dash", "<think-foo>x", "<think-foo>x"],
  ["a name with an underscore", "<think_foo>x", "<think_foo>x"],
  ["a name with a digit", "<think1>x", "<think1>x"],
  ["a name with a colon", "<think:foo>x", "<think:foo>x"],
  ["a broken opener that runs into text", "<think广场 is open", "广场 is open"],
  ["a broken opener in the middle", "So <thought 你好", "So  你好"],
  ["a broken opener at the end", "Answer <think", "Answer"],
  ["an orphan closer at the start", "</think>\nAnswer", "Answer"],
  ["an orphan closer at the end", "Answer\n</think> \n", "Answer"],
  ["several closers at the end", "Answer</thought></think>", "Answer"],
  ["a closer in the middle", "The </think> tag", "The </think> tag"],
  ["a channel mark at the start", "<channel|>Answer", "Answer"],
  ["the other channel mark", "<|channel|> Answer", "Answer"],
  ["a channel mark in the middle", "Say <channel|> twice", "Say <channel|> twice"],
  [
    "inline code",
    "Write `<think>` and `</think>` around it",
    "Write `<think>` and `</think>` around it",
  ],
  ["fenced code", "See\n```\n<think>x</think>\n```\nok", "See\n```\n<think>x</think>\n```\nok"],
  ["a block behind fenced code", "```\na\n```\n<think>x</think>ok", "```\na\n```\nok"],
  [
    "a tilde fence with a shorter one inside",
    "~~~~\n~~~\n<think>x</think>\n~~~~",
    "~~~~\n~~~\n<think>x</think>\n~~~~",
  ],
  ["other tags and comparisons", "a < b, <b>bold</b> <", "a < b, <b>bold</b> <"],
  ["empty text", "", ""],
  ["blank text", " \n\t ", ""],
  ["blanks around", "\n  Answer \n", "Answer"],
])("visibleText shows the right part of %s", (_name, text, expected) => {
  assert.equal(visibleText(text), expected);
});

/** Text in which everything that matters is likely to be. */
const leakyText = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        "<think>",
        "</think>",
        "<thought>",
        "</thought>",
        "<channel|>",
        "<|channel|>",
        "<think",
        "<tho",
        "<",
        ">",
        "`",
        "```",
        "~~~",
        "\n",
        " ",
        "\n```\n",
        "<thinker>",
        "</",
        "think>",
      ),
    },
    { weight: 2, arbitrary: fc.constantFrom("a", "b c", "广场", "😀", "/") },
    { weight: 1, arbitrary: fc.string({ maxLength: 5 }) },
  ),
  { maxLength: 30 },
).map((pieces) => pieces.join(""));

function shownPiecewise(text: string, cuts: readonly number[]): string {
  const cleaner = new VisibleText();
  const edges = [
    0,
    ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b),
    text.length,
  ];
  let shown = "";
  for (const [index, start] of edges.entries()) {
    shown += cleaner.push(text.slice(start, edges[index + 1]));
  }
  return shown + cleaner.end();
}

Deno.test("VisibleText shows the same text however it is cut", () => {
  fc.assert(
    fc.property(leakyText, fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
      assert.equal(shownPiecewise(text, cuts), visibleText(text));
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("VisibleText shows the same text character by character", () => {
  fc.assert(
    fc.property(leakyText, (text) => {
      const cuts = Array.from(text, (_, index) => index);
      assert.equal(shownPiecewise(text, cuts), visibleText(text));
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("visibleText never shows what stands in a closed block", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("think", "thought"),
      fc.string(),
      fc.string(),
      (name, before, after) => {
        fc.pre(!/[<`~]/.test(before));
        assert.ok(!visibleText(`${before}<${name}>SECRET</${name}>${after}`).includes("SECRET"));
      },
    ),
  );
});

Deno.test("visibleText leaves trimmed text without markup alone", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      fc.pre(!text.includes("<"));
      assert.equal(visibleText(text), text.trim());
    }),
  );
});

Deno.test("VisibleText shows nothing of a thought that is split over two pieces", () => {
  const cleaner = new VisibleText();
  assert.equal(cleaner.push("<thi"), "");
  assert.equal(cleaner.push("nk>secret</th"), "");
  assert.equal(cleaner.push("ink>Answer "), "Answer");
  assert.equal(cleaner.push("goes on"), " goes on");
  assert.equal(cleaner.end(), "");
});

Deno.test.each([
  ["blocks that never close", "a <think>".repeat(20_000)],
  ["openers of both kinds", "a <think> <thought>".repeat(20_000)],
  ["one long block", `a <think>${"b <".repeat(100_000)}`],
  ["brackets alone", "<".repeat(200_000)],
  ["one long line of backticks", "`".repeat(200_000)],
  ["closers at the end", `a${"</think> ".repeat(30_000)}`],
])("VisibleText takes time in proportion to %s", (_name, text) => {
  const startedMs = performance.now();
  const cleaner = new VisibleText();
  for (let at = 0; at < text.length; at += 3) cleaner.push(text.slice(at, at + 3));
  cleaner.end();
  // Linear: some 100 ms. Quadratic: minutes.
  assert.ok(performance.now() - startedMs < 5_000);
});
