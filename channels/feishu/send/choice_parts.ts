/**
 * Answers as buttons, in a small card of their own below the text that asks.
 * @module
 */

import type { JsonObject } from "../../../actors/kernel/json.ts";
import type { Delivery } from "../../channel.ts";
import type { ChoiceValue } from "../choice_value.ts";
import { wholeCard } from "../render/card_json.ts";
import type { PartRecord } from "./state.ts";
import { stableUuid } from "./uuid.ts";

/** The card with the buttons of a delivery; none where it suggests no answers. */
export function choiceParts(
  { key, chatId, context, choices = [] }: Delivery,
): readonly PartRecord[] {
  if (choices.length === 0) return [];
  const texts = Object.entries(context)
    .filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const buttons = choices.map(({ label, says }, index) => {
    const value: ChoiceValue = {
      troupe: "choice",
      says,
      chat_id: chatId,
      context: Object.fromEntries(texts),
    };
    return button(label, { ...value }, index === 0);
  });
  return [{
    form: "interactive",
    body: wholeCard([{
      tag: "column_set",
      flex_mode: "flow",
      columns: buttons.map((element) => ({ tag: "column", width: "auto", elements: [element] })),
    }]),
    cover: "",
    // Where no card can be shown, the words themselves.
    source: choices.map(({ label, says }) => `${label}: ${says}`).join("\n"),
    name: "",
    uuid: stableUuid(key, "choices"),
  }];
}

/** The same card once it is decided. */
export function decidedCard(text: string): string {
  return wholeCard([{ tag: "markdown", content: text, text_size: "notation" }]);
}

function button(label: string, value: JsonObject, isFirst: boolean): JsonObject {
  return {
    tag: "button",
    text: { tag: "plain_text", content: label },
    type: isFirst ? "primary_filled" : "default",
    behaviors: [{ type: "callback", value }],
  };
}
