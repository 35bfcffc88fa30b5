import assert from "node:assert/strict";
import * as fc from "fast-check";
import { readCard } from "../../../../channels/feishu/receive/card.ts";

const MARKDOWN = { tag: "markdown", content: "**bold** words" };

Deno.test("readCard reads a card as the platform simplifies it: rows of elements", () => {
  const card = {
    title: "Deploy",
    elements: [
      [{ tag: "text", text: "Build" }, { tag: "a", text: "12", href: "https://ci/12" }],
      [{ tag: "button", text: "Open" }],
      [{ tag: "img", image_key: "img_1" }],
      null,
      [],
      [{ tag: "at", user_name: "Bo" }, { tag: "text", text: "please look" }],
    ],
  };
  assert.equal(
    readCard(card),
    "title: Deploy\nBuild [12](https://ci/12)\nOpen\n[image]\n@Bo please look",
  );
});

Deno.test("readCard reads a flat list of elements, as cards are written", () => {
  const card = {
    header: { title: { tag: "plain_text", content: "Report" }, subtitle: { content: "weekly" } },
    elements: [
      {
        tag: "div",
        text: { tag: "lark_md", content: "body" },
        fields: [{ is_short: true, text: { tag: "lark_md", content: "field" } }],
        extra: { tag: "button", text: { content: "More" }, url: "https://more" },
      },
      { tag: "hr" },
      { tag: "note", elements: [{ tag: "plain_text", content: "small print" }] },
      {
        tag: "column_set",
        columns: [
          { tag: "column", elements: [MARKDOWN] },
          { tag: "column", elements: [{ tag: "markdown", content: "right" }] },
        ],
      },
      {
        tag: "action",
        actions: [{
          tag: "button",
          text: { tag: "plain_text", content: "Go" },
          behaviors: [{ type: "open_url", default_url: "https://go" }],
        }, {
          tag: "select_static",
          placeholder: { content: "choose" },
          options: [{ text: { content: "one" }, value: "1" }, { text: { content: "two" } }],
        }],
      },
    ],
  };
  assert.deepEqual(readCard(card).split("\n"), [
    "title: Report — weekly",
    "body",
    "field",
    "[More](https://more)",
    "---",
    "small print",
    "**bold** words",
    "right",
    "[Go](https://go)",
    "choose: one | two",
  ]);
});

Deno.test("readCard reads JSON 2.0 with tables and folded panels", () => {
  const card = {
    schema: "2.0",
    header: { title: { content: "T" } },
    body: {
      elements: [
        {
          tag: "collapsible_panel",
          header: { title: { content: "Details" } },
          elements: [MARKDOWN],
        },
        {
          tag: "table",
          columns: [{ name: "a", display_name: "A" }, { name: "b" }],
          rows: [{ a: "1|2", b: [{ text: "x" }, { text: "y" }] }, { a: 3, c: true }, null],
        },
      ],
    },
  };
  assert.deepEqual(readCard(card).split("\n"), [
    "title: T",
    "Details",
    "**bold** words",
    "| A | b | c |",
    "| --- | --- | --- |",
    "| 1\\|2 | x, y |  |",
    "| 3 |  | true |",
    "|  |  |  |",
  ]);
});

Deno.test.each([
  { name: "a nested card", card: { card: { elements: [MARKDOWN] } } },
  { name: "a nested card as JSON text", card: { card: JSON.stringify({ elements: [MARKDOWN] }) } },
  { name: "the author's source", card: { user_dsl: JSON.stringify({ elements: [MARKDOWN] }) } },
  { name: "data", card: { type: "card", data: { elements: [MARKDOWN] } } },
  { name: "versions by language", card: { i18n_elements: { zh_cn: [MARKDOWN] } } },
  { name: "a single element", card: MARKDOWN },
  { name: "JSON in JSON", card: JSON.stringify(JSON.stringify({ elements: [MARKDOWN] })) },
  { name: "nothing but words", card: "**bold** words" },
])("readCard finds the words in $name", ({ card }) => {
  assert.equal(readCard(card), "**bold** words");
});

Deno.test("readCard takes the author's source instead of its simplified view", () => {
  const user_dsl = { elements: [MARKDOWN, { tag: "markdown", content: "more" }] };
  assert.equal(
    readCard({ elements: [[{ tag: "text", text: "bold" }]], user_dsl }),
    "**bold** words\nmore",
  );
});

Deno.test.each([
  null,
  5,
  "",
  [],
  {},
  { title: null, header: null, elements: null, body: null, card: null, user_dsl: null },
  { elements: [null, [null], { tag: null }, { tag: "div", text: null, fields: null }] },
  { elements: [{ tag: "table", columns: null, rows: null }] },
  { elements: [{ tag: "column_set", columns: null }] },
])("readCard finds nothing, and does not mind, in %j", (card) => {
  assert.equal(readCard(card), "");
});

Deno.test("readCard loses no text, however a card is built", () => {
  const word = fc.stringMatching(/^[a-z0-9]{3,8}$/);
  const { element } = fc.letrec<{ element: { node: unknown; words: string[] } }>((tie) => ({
    element: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      word.map((w) => ({ node: { tag: "markdown", content: w }, words: [w] })),
      word.map((w) => ({ node: { tag: "text", text: w }, words: [w] })),
      word.map((w) => ({ node: { tag: "plain_text", content: w }, words: [w] })),
      word.map((w) => ({ node: { tag: "button", text: w }, words: [w] })),
      word.map((w) => ({ node: { tag: "img", alt: { content: w } }, words: [w] })),
      word.map((w) => ({ node: { tag: "unheard_of", content: w }, words: [w] })),
      word.map((w) => ({ node: { tag: "div", text: { tag: "lark_md", content: w } }, words: [w] })),
      fc.tuple(
        fc.constantFrom("elements", "columns", "actions", "fields"),
        fc.constantFrom("note", "column_set", "form", "unheard_of"),
        fc.array(tie("element"), { minLength: 1, maxLength: 4 }),
      ).map(([key, tag, children]) => ({
        node: { tag, [key]: children.map(({ node }) => node) },
        words: children.flatMap(({ words }) => words),
      })),
    ),
  }));
  fc.assert(fc.property(fc.array(element, { minLength: 1 }), fc.boolean(), (elements, isNew) => {
    const nodes = elements.map(({ node }) => node);
    const shown = readCard(isNew ? { body: { elements: nodes } } : { elements: nodes });
    let from = 0;
    for (const wanted of elements.flatMap(({ words }) => words)) {
      const at = shown.indexOf(wanted, from);
      assert.notEqual(at, -1, `${wanted} in ${shown}`);
      from = at + wanted.length;
    }
  }));
});
