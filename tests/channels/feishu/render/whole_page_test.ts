import assert from "node:assert/strict";
import { layOutCards } from "../../../../channels/feishu/render/cards.ts";
import { filled, HOSTILE_LENGTH } from "../../../support/hostile_markdown.ts";
import { visibleElements } from "./visible.ts";

Deno.test("A page of dense, honest Markdown is read whole", () => {
  const paragraph =
    "Some **bold** and *soft* words, `code`, [a link](https://a.io/b) and ~~more~~.\n";
  const item = "- **Name**: `value` with [a link](https://a.io) and *emphasis* in it\n";
  const text = filled(`${paragraph.repeat(4)}\n${item.repeat(8)}\n`, HOSTILE_LENGTH);
  const shown = visibleElements(layOutCards(text).flatMap(({ elements }) => elements));
  assert.doesNotMatch(shown.slice(0, -200), /[*~`[\]]/);
});

Deno.test("An honest paragraph of a whole page is read whole", () => {
  const text = filled(
    "A long sentence of a page, with **one** mark in a hundred words. ".padEnd(600, "word "),
    HOSTILE_LENGTH,
  );
  const shown = visibleElements(layOutCards(text).flatMap(({ elements }) => elements));
  assert.doesNotMatch(shown, /[*]/);
});
