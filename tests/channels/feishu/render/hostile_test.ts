import assert from "node:assert/strict";
import fc from "fast-check";
import { summaryOf } from "../../../../channels/feishu/render/card_json.ts";
import { layOutCards } from "../../../../channels/feishu/render/cards.ts";
import { layOutPosts } from "../../../../channels/feishu/render/post.ts";
import { mendTail } from "../../../../channels/markdown/tail.ts";
import { chooseForm } from "../../../../channels/feishu/send/format.ts";
import { visibleElements } from "./visible.ts";

const LENGTH = 30_000;
/** Far above what it takes on a machine that is busy with other tests, far below what hangs. */
const TIME_MAX_MS = 1_500;

/** What begins and ends things in Markdown, and a little text. */
const PIECES = [
  ...["*", "**", "_", "__", "~~", "`", "``", "```", "[", "]", "](", "(", ")", "![", "<", "<b>"],
  ...["<!--", "&", "&#60;", "$", "$$", "\\", "\\[", "\\(", "\\]", "|", "|-|", "\n", "\n\n", "  "],
  ...["    ", "> ", "- ", "1. ", "# ", "a", "a b", "中", "🎭", "://", "@a (ou_", "=", "---", "\t"],
  ...["x@y.z", "http://a.b", "[r]: x", "- [ ] ", "\r\n", "  \n", "<br>"],
];

const unit = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 })
  .map((pieces) => pieces.join(""));

/** A shape over and over, or two of them behind one another. */
const hostile = fc.array(unit, { minLength: 1, maxLength: 2 })
  .map((units) => units.map((each) => filled(each, LENGTH / units.length)).join(""));

function filled(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

/** All that is done to an answer, in the best of three runs: others use the machine as well. */
function timeOf(text: string): number {
  let bestMs = Infinity;
  for (let run = 0; run < 3 && bestMs > TIME_MAX_MS / 3; run++) {
    const startMs = performance.now();
    chooseForm(text);
    layOutCards(mendTail(text));
    layOutPosts(text, false);
    summaryOf(text);
    bestMs = Math.min(bestMs, performance.now() - startMs);
  }
  return bestMs;
}

Deno.test("An answer blocks its channel for no long time, whatever is written over and over", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const timeMs = timeOf(text);
      assert.ok(timeMs < TIME_MAX_MS, `${Math.round(timeMs)} ms`);
    }),
    { numRuns: 25 },
  );
});

Deno.test.each([
  { shape: "emphasis that is never closed", text: filled("*a _b ", LENGTH) },
  {
    shape: "emphasis in emphasis",
    text: filled("*a _b ", LENGTH / 2) + filled("_ *", LENGTH / 2),
  },
  { shape: "bold in bold", text: filled("__a ", LENGTH / 2) + filled("__ ", LENGTH / 2) },
  { shape: "code beside bold", text: filled("**a`b`", LENGTH) },
  { shape: "quotes in quotes", text: filled(">", LENGTH) },
  { shape: "lists in lists", text: filled("1. ", LENGTH) },
  {
    shape: "lists in lists that go on without a mark",
    text: filled("- ", LENGTH / 2) + filled("|-|\n*", LENGTH / 2),
  },
  { shape: "open brackets", text: filled("[", LENGTH / 2) + filled("]", LENGTH / 2) },
  { shape: "open formulas", text: filled("\\[a\n", LENGTH) },
  { shape: "back-ticks", text: filled("![&#60;", LENGTH / 2) + filled("```", LENGTH / 2) },
  { shape: "rows of a table", text: filled("|a|\n|-|\n", LENGTH) },
  {
    shape: "steps of a list",
    text: Array.from({ length: 240 }, (_, depth) => `${" ".repeat(2 * depth)}- a`).join("\n"),
  },
])("An answer blocks its channel for no long time: $shape", ({ text }) => {
  const timeMs = timeOf(text);
  assert.ok(timeMs < TIME_MAX_MS, `${Math.round(timeMs)} ms`);
});

Deno.test("A page of dense, honest Markdown is read whole", () => {
  const paragraph =
    "Some **bold** and *soft* words, `code`, [a link](https://a.io/b) and ~~more~~.\n";
  const item = "- **Name**: `value` with [a link](https://a.io) and *emphasis* in it\n";
  const text = filled(`${paragraph.repeat(4)}\n${item.repeat(8)}\n`, LENGTH);
  const shown = visibleElements(layOutCards(text).flatMap(({ elements }) => elements));
  assert.doesNotMatch(shown.slice(0, -200), /[*~`[\]]/);
});

Deno.test("An honest paragraph of a whole page is read whole", () => {
  const text = filled(
    "A long sentence of a page, with **one** mark in a hundred words. ".padEnd(600, "word "),
    LENGTH,
  );
  const shown = visibleElements(layOutCards(text).flatMap(({ elements }) => elements));
  assert.doesNotMatch(shown, /[*]/);
});
