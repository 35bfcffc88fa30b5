import assert from "node:assert/strict";
import { CARD_BYTES_MAX } from "../../../channels/feishu/render/limits.ts";
import { Harness } from "./harness.ts";

const KEY = "turn-1:0";
const PANEL = /"collapsible_panel","element_id":"thoughts","expanded":false/;

function cardsOf({ platform }: Harness): readonly string[] {
  return platform.chat("ou_alice").fromBot.map(({ card }) => JSON.stringify(card?.json));
}

Deno.test("Feishu shows what the model thinks folded before the answer, and it stays there", async () => {
  await using harness = await Harness.ready();
  const { platform } = harness;
  const shown = () => platform.chat("ou_alice").fromBot.map(({ text }) => text);
  const grow = (reasoning: string, text: string) =>
    harness.deliverInTime({ key: KEY, phase: "growing", text, reasoning });
  await grow("They ask", "");
  assert.deepEqual(shown(), ["💭\nThey ask\n…"]);
  await grow("They ask for 5 * 3.", "");
  assert.deepEqual(shown(), ["💭\nThey ask for 5 &#42; 3.\n…"]);
  await grow("They ask for 5 * 3.", "It is");
  await grow("They ask for 5 * 3.", "It is 15");
  assert.deepEqual(shown(), ["💭\nThey ask for 5 &#42; 3.\nIt is 15"]);
  await harness.deliverInTime({ key: KEY, text: "It is 15." });
  assert.deepEqual(shown(), ["💭\nThey ask for 5 &#42; 3.\nIt is 15."]);
  const [card] = platform.chat("ou_alice").fromBot;
  assert.equal(card?.card?.isStreaming, false);
  assert.equal(card?.card?.summary, "It is 15.");
  assert.match(cardsOf(harness)[0] ?? "", PANEL);
  // What only grows is typed out, not replaced.
  const texts = platform.calls("cardkit.cardElement.content").map(({ path }) => path);
  assert.ok(texts.some((path) => path.endsWith("/elements/reasoning/content")), `${texts}`);
  assert.ok(texts.some((path) => path.endsWith("/elements/answer/content")), `${texts}`);
});

Deno.test("Feishu shows no panel when nothing was thought", async () => {
  await using harness = await Harness.ready();
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "It is", reasoning: " \n " });
  await harness.deliverInTime({ key: KEY, text: "It is 15." });
  assert.doesNotMatch(cardsOf(harness)[0] ?? "", PANEL);
});

Deno.test("Feishu calls nobody whom the model only thought of", async () => {
  await using harness = await Harness.ready();
  const reasoning = "Ask @Bob (ou_bob) or <at id=all></at>";
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "Hm", reasoning });
  assert.doesNotMatch(cardsOf(harness)[0] ?? "", /<at/);
});

Deno.test("Feishu keeps long thoughts within a card, and in the first of several", async () => {
  await using harness = await Harness.ready();
  const reasoning = "I *think* <of> it. ".repeat(400);
  const text = "A paragraph of the answer.\n\n".repeat(1_200);
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "A", reasoning });
  await harness.deliverInTime({ key: KEY, phase: "growing", text, reasoning });
  await harness.deliverInTime({ key: KEY, text });
  const cards = cardsOf(harness);
  assert.ok(cards.length > 1);
  assert.deepEqual(cards.map((card) => PANEL.test(card)), cards.map((_, index) => index === 0));
  for (const card of cards) {
    assert.ok(new TextEncoder().encode(card).length <= CARD_BYTES_MAX);
  }
  const shown = harness.platform.chat("ou_alice").fromBot.map((message) => message.text);
  const words = shown.join("").match(/A paragraph of the answer/g) ?? [];
  assert.equal(words.length, 1_200);
});

Deno.test("Feishu keeps what was thought in a card that another Worker left open", async () => {
  await using harness = await Harness.ready();
  const reasoning = "They ask";
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "", reasoning });
  await harness.restart();
  await harness.deliverInTime({ key: KEY, text: "It is 15." });
  const shown = harness.platform.chat("ou_alice").fromBot.map(({ text }) => text);
  assert.deepEqual(shown, ["💭\nThey ask\nIt is 15."]);
});

Deno.test("Feishu takes the card of mere thoughts back when there is no answer to show", async () => {
  await using harness = await Harness.ready();
  await harness.deliverInTime({ key: KEY, phase: "growing", text: "", reasoning: "Hm" });
  await harness.deliverInTime({ key: KEY, text: "" });
  assert.deepEqual(cardsOf(harness), []);
});
