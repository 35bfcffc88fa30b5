import assert from "node:assert/strict";
import { chooseForm } from "../../../../channels/feishu/send/format.ts";

Deno.test.each([
  { text: "Hello", form: "text" },
  { text: "inline `code` here", form: "text" },
  { text: "`**not bold**` and `# no title`", form: "text" },
  { text: "> a quote", form: "text" },
  { text: "---", form: "text" },
  { text: "https://example.com/a_b_c", form: "text" },
  { text: "#tag", form: "text" },
  { text: "[here](docs/page.md)", form: "text" },
  { text: "5*3*2 is 30", form: "text" },
  { text: "__init__ and __main__", form: "text" },
  { text: "a * b * c", form: "text" },
  { text: "2 ** 3 ** 2", form: "text" },
  { text: "about ~~ that", form: "text" },
  { text: "| not | a table |", form: "text" },
  { text: "x".repeat(200), form: "text" },
  { text: "x".repeat(201), form: "post" },
  { text: "see [here](https://example.com)", form: "post" },
  { text: "x".repeat(2_001), form: "interactive" },
  { text: "```\ncode\n```", form: "interactive" },
  { text: "| a | b |\n| --- | :-: |\n| 1 | 2 |", form: "interactive" },
  { text: "text\n## Title", form: "interactive" },
  { text: "a **bold** word", form: "interactive" },
  { text: "a **b** word", form: "interactive" },
  { text: "an *emphasised word* here", form: "interactive" },
  { text: "__two words__", form: "interactive" },
  { text: "~~gone~~", form: "interactive" },
  { text: "**重点**：看这里", form: "interactive" },
  { text: "- one\n- two", form: "interactive" },
  { text: "1. one\n2. two", form: "interactive" },
  { text: "**[link](https://example.com)**", form: "interactive" },
])("chooseForm shows a text as $form: $text", ({ text, form }) => {
  assert.equal(chooseForm(text), form);
});
