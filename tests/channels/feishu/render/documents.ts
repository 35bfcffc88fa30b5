/**
 * Markdown by chance: documents with words that can be counted, and any text at all.
 * @module
 */

import fc from "fast-check";

/** Stands where a word of its own belongs, and where a word of a table's head does. */
const WORD = "\ue001";
const HEAD = "\ue002";

/** The words of a text in order, those of tables' heads after the others, each of those once. */
export function wordsIn(text: string): readonly string[] {
  const heads = new Set(text.match(/h\d+e/g));
  return [...text.match(/w\d+e/g) ?? [], ...heads];
}

const plain = fc.array(fc.constantFrom(WORD, WORD, "中文", "🎭", ",", "and", "5*3*2"), {
  minLength: 1,
  maxLength: 12,
}).map((words) => [WORD, ...words].join(" "));
const span = fc.oneof(
  { weight: 4, arbitrary: plain },
  { weight: 1, arbitrary: plain.map((text) => `**${text}**`) },
  { weight: 1, arbitrary: plain.map((text) => `*${text} **${WORD}** end*`) },
  { weight: 1, arbitrary: plain.map((text) => `~~${text}~~`) },
  { weight: 1, arbitrary: plain.map((text) => `[${text} [x]](https://a.io/(b))`) },
  { weight: 1, arbitrary: fc.constant(`\`${WORD} | ${WORD}\``) },
  { weight: 1, arbitrary: fc.constant(`![${WORD}](https://a.io/c.png)`) },
  { weight: 1, arbitrary: fc.constant(`$${WORD}_1 * ${WORD}$`) },
);
const line = fc.array(span, { minLength: 1, maxLength: 4 }).map((spans) => spans.join(" "));
const paragraph = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n"));
const heading = fc.tuple(fc.integer({ min: 1, max: 6 }), plain)
  .map(([depth, text]) => `${"#".repeat(depth)} ${text}`);
const code = fc.tuple(
  fc.constantFrom("", "ts", "python", "c++"),
  fc.array(fc.constantFrom("", "  # x", `let ${WORD} = "${WORD}";`, `| ${WORD} |`, "``"), {
    maxLength: 12,
  }),
).map(([lang, lines]) => [`\`\`\`${lang}`, ...lines, "```"].join("\n"));
const math = fc.constant(`$$\n${WORD} * ${WORD}_1\n$$`);
const cell = fc.oneof(
  fc.constant(WORD),
  fc.constant(`**${WORD}** x`),
  fc.constant(`\`${WORD}\``),
  fc.constant(`[${WORD}](https://a.io)`),
  fc.constant(`${WORD} \\| ${WORD}`),
  fc.constant(""),
);
const table = fc.integer({ min: 1, max: 12 }).chain((width) => {
  const row = fc.array(cell, { minLength: width, maxLength: width });
  return fc.array(row, { maxLength: 14 }).map((rows) => {
    const head = Array.from({ length: width }, () => HEAD);
    const rule = head.map(() => "---");
    return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  });
});
const leaf = fc.oneof(paragraph, heading, code);
const nested = fc.letrec<{ block: string; list: string; quote: string }>((tie) => ({
  block: fc.oneof({ depthSize: "small", withCrossShrink: true }, leaf, tie("list"), tie("quote")),
  list: fc.tuple(fc.boolean(), fc.array(tie("block"), { minLength: 1, maxLength: 4 }))
    .map(([isOrdered, items]) =>
      items.map((item, index) => {
        const marker = isOrdered ? `${index + 1}. ` : "- ";
        return `${marker}${WORD} ${WORD}\n\n${indented(item, marker.length)}`;
      }).join("\n")
    ),
  quote: tie("block").map((text) => `> ${text.split("\n").join("\n> ")}`),
}));

function indented(text: string, count: number): string {
  return text.split("\n").map((each) => each === "" ? "" : " ".repeat(count) + each).join("\n");
}

/** Documents as models write them; every word `w7e` or `h7e` stands once. */
export const document: fc.Arbitrary<string> = fc.array(
  fc.oneof(leaf, nested.list, nested.quote, table, math, fc.constant("---")),
  { minLength: 1, maxLength: 8 },
).map((blocks) => {
  let words = 0;
  return blocks.join("\n\n").replace(
    /[\ue001\ue002]/g,
    (mark) => `${mark === WORD ? "w" : "h"}${++words}e`,
  );
});

/** Any text, full of marks that begin and do not end. */
export const anyMarkdown: fc.Arbitrary<string> = fc.array(
  fc.oneof(
    fc.constantFrom("", "```js", "```", "~~~", "| a | b |", "|---|---|", "| 1 | 2 |", "# T", "- i"),
    fc.constantFrom("  - n", "> q", "1. x", "===", "---", "$$", "[r]: http://d.ef", "    code"),
    fc.array(
      fc.constantFrom(
        "**",
        "*",
        "_",
        "__",
        "~~",
        "`",
        "``",
        "[",
        "](http://a.io)",
        "![",
        "<b>",
        "$",
      ),
      { maxLength: 5 },
    ).map((marks) => marks.join("word ")),
    fc.string({ maxLength: 40 }),
    fc.string({ maxLength: 20, unit: "grapheme" }),
  ),
  { maxLength: 25 },
).map((lines) => lines.join("\n"));
