/**
 * What a button carries to Slack and back: what its press says, and where.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../actors/kernel/json.ts";
import type { Delivery } from "../channel.ts";

/** Documented for a button's `value` (https://docs.slack.dev/reference/block-kit/block-elements). */
const VALUE_CHARS_MAX = 2_000;

/** The value of a button. */
export interface ChoiceValue {
  /** Marks it as ours, and its shape. */
  readonly troupe: "choice";
  readonly says: string;
  /** The delivery's context. */
  readonly context: JsonObject;
}

const choiceValueSchema: z.ZodType<ChoiceValue> = z.object({
  troupe: z.literal("choice"),
  says: z.string().min(1),
  context: z.record(z.string(), z.json()),
});

/** The value that came back; undefined for a button that is not ours. */
export function readChoice(value: string): ChoiceValue | undefined {
  try {
    return choiceValueSchema.safeParse(JSON.parse(value)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The block with buttons for a delivery's choices; none when one cannot be had as a button. */
export function choiceBlocks(
  { context, choices = [] }: Pick<Delivery, "context" | "choices">,
): readonly JsonObject[] {
  const buttons = choices.map(({ label, says }, index) => {
    const value: ChoiceValue = { troupe: "choice", says, context };
    return {
      type: "button",
      action_id: `choice_${index}`,
      text: { type: "plain_text", text: label },
      value: JSON.stringify(value),
    };
  });
  const doFit = buttons.every(({ value }) => value.length <= VALUE_CHARS_MAX);
  return buttons.length > 0 && doFit
    ? [{ type: "actions", block_id: "choices", elements: buttons }]
    : [];
}
