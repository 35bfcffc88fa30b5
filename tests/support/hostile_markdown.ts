/**
 * Markdown that is made to keep a reader busy, and how long it does so.
 * @module
 */

import fc from "fast-check";

/** As long as the longest answers. */
export const HOSTILE_LENGTH = 30_000;
/** Far above what it takes on a machine that is busy with other tests, far below what hangs. */
export const HOSTILE_TIME_MAX_MS = 1_500;

/** What begins and ends things in Markdown, and a little text. */
const PIECES = [
  ...["*", "**", "_", "__", "~~", "`", "``", "```", "[", "]", "](", "(", ")", "![", "<", "<b>"],
  ...["<!--", "&", "&#60;", "$", "$$", "\\", "\\[", "\\(", "\\]", "|", "|-|", "\n", "\n\n", "  "],
  ...["    ", "> ", "- ", "1. ", "# ", "a", "a b", "中", "🎭", "://", "@a (ou_", "=", "---", "\t"],
  ...["x@y.z", "http://a.b", "[r]: x", "- [ ] ", "\r\n", "  \n", "<br>", "![a](b.png)", "\u200d"],
];

const unit = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 })
  .map((pieces) => pieces.join(""));

/** A shape over and over, or two of them behind one another. */
export const hostileTexts: fc.Arbitrary<string> = fc
  .array(unit, { minLength: 1, maxLength: 2 })
  .map((units) => units.map((each) => filled(each, HOSTILE_LENGTH / units.length)).join(""));

/** `text` over and over, cut at `length` characters. */
export function filled(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

const half = HOSTILE_LENGTH / 2;

/** Shapes that have kept a reader busy, or brought it down. */
export const HOSTILE_SHAPES: readonly { readonly shape: string; readonly text: string }[] = [
  { shape: "emphasis that is never closed", text: filled("*a _b ", HOSTILE_LENGTH) },
  { shape: "emphasis in emphasis", text: filled("*a _b ", half) + filled("_ *", half) },
  { shape: "bold in bold", text: filled("__a ", half) + filled("__ ", half) },
  { shape: "code beside bold", text: filled("**a`b`", HOSTILE_LENGTH) },
  { shape: "quotes in quotes", text: filled(">", HOSTILE_LENGTH) },
  {
    shape: "quotes in quotes that go on without a mark",
    text: filled("> ", half) + filled("x> _\n", half),
  },
  { shape: "a quote with every other line unmarked", text: filled(">>>>>\na\n", HOSTILE_LENGTH) },
  { shape: "quotes of many depths", text: filled(">>>>>>=\n>>>\n=\n>>a\n", HOSTILE_LENGTH) },
  { shape: "a quoted list that goes on", text: filled("> *\r\n|-|\n", HOSTILE_LENGTH) },
  { shape: "lists in lists", text: filled("1. ", HOSTILE_LENGTH) },
  {
    shape: "lists in lists that go on without a mark",
    text: filled("- ", half) + filled("|-|\n*", half),
  },
  { shape: "lists beside lists", text: filled("- \n\n1. ", HOSTILE_LENGTH) },
  { shape: "paragraphs", text: filled("\u200d\n\n", HOSTILE_LENGTH) },
  { shape: "items and lines", text: filled("- b\r\n$<b>a", half) + filled("\\\n# ", half) },
  { shape: "open brackets", text: filled("[", half) + filled("]", half) },
  { shape: "pictures that are never named", text: filled("![", half) + filled("<`\u200d", half) },
  { shape: "links that lead on and on", text: filled("[a](", HOSTILE_LENGTH) },
  { shape: "calls that never end", text: filled("<at ", HOSTILE_LENGTH) },
  { shape: "open formulas", text: filled("\\[a\n", HOSTILE_LENGTH) },
  { shape: "formulas in a line", text: filled("\u200d\\[", half) + filled("\\", half) },
  { shape: "back-ticks", text: filled("![&#60;", half) + filled("```", half) },
  { shape: "rows of a table", text: filled("|a|\n|-|\n", HOSTILE_LENGTH) },
  {
    shape: "steps of a list",
    text: Array.from({ length: 240 }, (_, depth) => `${" ".repeat(2 * depth)}- a`).join("\n"),
  },
];

/** Milliseconds that `work` takes, in the best of three runs: others use the machine as well. */
export function bestMsOf(work: () => void): number {
  let bestMs = Infinity;
  for (let run = 0; run < 3 && bestMs > HOSTILE_TIME_MAX_MS / 3; run++) {
    const startMs = performance.now();
    work();
    bestMs = Math.min(bestMs, performance.now() - startMs);
  }
  return bestMs;
}
