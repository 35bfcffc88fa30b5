/**
 * Answers that a message suggests, kept in its row: they stand in the context under a name of ours,
 * which the channel does not see.
 * @module
 */

import { z } from "zod";
import type { Choice } from "../../channels/channel.ts";
import type { JsonObject } from "../kernel/json.ts";

/** No platform has a field of this name. */
const CHOICES_FIELD = "troupe:choices";

const choicesSchema = z.array(z.object({ label: z.string(), says: z.string() }));

/** The context of a row that suggests answers. */
export function withChoices(context: JsonObject, choices: readonly Choice[]): JsonObject {
  const plain = choices.map(({ label, says }) => ({ label, says }));
  return { ...context, [CHOICES_FIELD]: plain };
}

/** A row's context as the channel gave it, and the answers that the row suggests. */
export function contextAndChoices(
  context: JsonObject,
): { readonly context: JsonObject; readonly choices?: readonly Choice[] } {
  const { [CHOICES_FIELD]: kept, ...own } = context;
  if (kept === undefined) return { context };
  const choices = choicesSchema.safeParse(kept).data ?? [];
  return choices.length > 0 ? { context: own, choices } : { context: own };
}
