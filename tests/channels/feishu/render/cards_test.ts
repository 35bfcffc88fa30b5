import assert from "node:assert/strict";
import fc from "fast-check";
import {
  growingCard,
  NO_EXTRAS,
  reasoningText,
  wholeCard,
} from "../../../../channels/feishu/render/card_json.ts";
import { layOutCards } from "../../../../channels/feishu/render/cards.ts";
import {
  BODY_BYTES_BESIDE_REASONING,
  CARD_BYTES_MAX,
  jsonBytes,
  REASONING_BYTES_MAX,
  TABLES_MAX,
} from "../../../../channels/feishu/render/limits.ts";
import { mendTail } from "../../../../channels/markdown/tail.ts";
import { CARD_LIMITS, checkCard, isNode } from "../../../simulators/feishu/card_json.ts";
import { anyMarkdown, document, wordsIn } from "./documents.ts";
import { visibleElements, visibleText } from "./visible.ts";

const SMALL = fc.record({
  bytesMax: fc.integer({ min: 700, max: 4_000 }),
  tablesMax: fc.integer({ min: 1, max: 4 }),
});

function checkLimits(cardJson: string, bytesMax: number): void {
  const card: unknown = JSON.parse(cardJson);
  assert.ok(isNode(card));
  checkCard(card, CARD_LIMITS);
  const bytes = new TextEncoder().encode(cardJson).length;
  assert.ok(bytes <= bytesMax, `${bytes} > ${bytesMax}`);
}

Deno.test("layOutCards shows every word of a document once, in order", () => {
  fc.assert(
    fc.property(document, SMALL, (text, limits) => {
      const cards = layOutCards(text, new Map(), limits);
      const shown = wordsIn(JSON.stringify(cards.map(({ elements }) => elements)));
      assert.deepEqual(shown, wordsIn(text));
      const grown = wordsIn(cards.map(({ markdown }) => markdown).join("\n"));
      assert.deepEqual(grown, wordsIn(text));
    }),
    { numRuns: 300 },
  );
});

Deno.test.each([
  [">".repeat(20_000) + " quoted"],
  ["- ".repeat(5_000) + "listed"],
  ["*a _b ".repeat(1_500) + "emphasized" + "_ *".repeat(1_500)],
])("layOutCards shows what is nested beyond reason as it stands", (text) => {
  const shown = visibleElements(
    layOutCards(`# Title\n${text}`).flatMap(({ elements }) => elements),
  );
  assert.ok(shown.startsWith("Title"));
  assert.ok(shown.endsWith(text.slice(-12).replace(/\s/g, "")), shown.slice(-40));
});

Deno.test("layOutCards shows what Markdown shows, whatever the text", () => {
  fc.assert(
    fc.property(anyMarkdown, SMALL, (text, limits) => {
      const cards = layOutCards(text, new Map(), limits);
      assert.equal(visibleElements(cards.flatMap(({ elements }) => elements)), visibleText(text));
    }),
    // The seed is a new one each time, and told on failure: what it finds becomes a case below.
    { numRuns: 1_000 },
  );
});

/** What chance found. */
Deno.test.each([
  ["*word **\n~*A"],
  ["*!\n~*0"],
  ["0*~*"],
  ["**word __\n!*\n**\n__"],
  ["- i\n[r]: http://d.ef\n`word ``word ](http://a.io)word `"],
  ["| 1 | 2 |\n#\n|---|---|"],
  ["[\n``\n`\n``word ``word ](http://a.io)"],
  ["[word `\n``word `word ``\n](http://a.io)"],
  ["> q\n|---|---|\n|---|---|\n$$\n|---|---|"],
  ["**" + "!".repeat(20_000) + "a" + "!".repeat(20_000) + "**b"],
  ["**call @Bob (ou_bob)**you"],
  ["*\n  - n\n\n    code\n**"],
  ["  - n\n--"],
  ["$\n[r]: http://d.ef\n-:"],
  ["!\n[r]: http://d.ef\n:-"],
  ["_word **\n!_*0*"],
  ["![\n](!)"],
  ["! #\n==="],
  ["<b>\n-|"],
  ["!![\n](http://a.io)"],
  ["*word ![word ](http://a.io)\n~*0"],
  ["*\\\n0*"],
  ["[](*)"],
])("layOutCards shows what Markdown shows: %j", (text) => {
  const limits = { bytesMax: 700, tablesMax: 1 };
  const elements = layOutCards(text, new Map(), limits).flatMap((card) => card.elements);
  const shown = visibleElements(elements).replaceAll("<atid=ou_bob></at>", "@Bob(ou_bob)");
  assert.equal(shown, visibleText(text));
});

Deno.test("layOutCards keeps a card's limits, whatever the text", () => {
  fc.assert(
    fc.property(fc.oneof(document, anyMarkdown), SMALL, (text, limits) => {
      for (const { markdown, elements } of layOutCards(text, new Map(), limits)) {
        assert.notEqual(markdown.trim(), "");
        const frame = 400;
        checkLimits(wholeCard(elements), limits.bytesMax + frame);
        checkLimits(growingCard(markdown, NO_EXTRAS), limits.bytesMax + frame);
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("layOutCards keeps the platform's limits for long documents", () => {
  const steps = Array.from({ length: 40 }, (_, index) => `🔧 exec("${"x".repeat(200)}${index}")`);
  fc.assert(
    fc.property(fc.array(document, { minLength: 30, maxLength: 60 }), (documents) => {
      const text = documents.join("\n\n");
      for (const { markdown, elements } of layOutCards(text)) {
        const extras = { reasoning: "", running: [], steps };
        checkLimits(wholeCard(elements, extras), CARD_BYTES_MAX);
        checkLimits(growingCard(markdown, { ...extras, running: steps.slice(-3) }), CARD_BYTES_MAX);
      }
    }),
    { numRuns: 10 },
  );
});

Deno.test("A card with what was thought keeps the limits, and shows the end of that literally", () => {
  const limits = { bytesMax: BODY_BYTES_BESIDE_REASONING, tablesMax: TABLES_MAX };
  const steps = Array.from({ length: 40 }, (_, index) => `🔧 exec("${"x".repeat(200)}${index}")`);
  const thoughts = fc.oneof(document, anyMarkdown, fc.string({ maxLength: 9_000 }));
  fc.assert(
    fc.property(
      fc.array(document, { minLength: 30, maxLength: 40 }),
      thoughts,
      (texts, thought) => {
        fc.pre(thought.trim() !== "");
        const extras = { reasoning: thought, running: [], steps };
        const shown = visibleElements([{ tag: "markdown", content: reasoningText(thought) }]);
        const words = thought.replace(/\s/g, "");
        assert.ok(words.endsWith(shown.replace(/^…/, "")), `${shown} is not the end of ${words}`);
        assert.ok(shown !== "" && jsonBytes(reasoningText(thought)) <= REASONING_BYTES_MAX + 10);
        for (const { markdown, elements } of layOutCards(texts.join("\n\n"), new Map(), limits)) {
          checkLimits(wholeCard(elements, extras), CARD_BYTES_MAX);
          checkLimits(
            growingCard(markdown, { ...extras, running: steps.slice(-3) }),
            CARD_BYTES_MAX,
          );
        }
      },
    ),
    { numRuns: 20 },
  );
});

Deno.test("mendTail shows no word that is not there, wherever the text is cut", () => {
  fc.assert(
    fc.property(document, fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
      const cut = text.slice(0, Math.floor(text.length * share));
      const shown = wordsIn(layOutCards(mendTail(cut)).map(({ markdown }) => markdown).join("\n"));
      const words = shown.filter((word) => word.startsWith("w"));
      const all = wordsIn(cut);
      assert.deepEqual(words, all.slice(0, words.length));
      assert.deepEqual(shown.filter((word) => !all.includes(word)), []);
    }),
    { numRuns: 500 },
  );
});

Deno.test("mendTail leaves no half mark in sight when it cuts a plain document", () => {
  const text = "Some **bold words** and `code`, a [link](https://a.io) and ~~gone~~ words.\n\n" +
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n1. one\n2. two\n\n```py\nx = 1\n```\n\n# End\n\n> said\n";
  for (let length = 1; length <= text.length; length++) {
    const shown = visibleElements(
      layOutCards(mendTail(text.slice(0, length))).flatMap(({ elements }) => elements),
    );
    assert.doesNotMatch(shown, /[*`~[\]#>|]|---/, `${length}: ${text.slice(0, length)}`);
  }
});
