/**
 * Answers that a message suggests, and the end of them, kept in the messages' rows: they stand in
 * the context under a name of ours, which the channel does not see.
 * @module
 */

import { z } from "zod";
import type { Choice, Delivery } from "../../channels/channel.ts";
import type { JsonObject } from "../kernel/json.ts";

/** No platform has a field of this name. */
const FIELD = "troupe:choices";

const keptSchema = z.object({
  choices: z.array(z.object({ label: z.string(), says: z.string() })).exactOptional(),
  closes: z.string().exactOptional(),
});

/** The context of a row that suggests answers. */
export function withChoices(context: JsonObject, choices: readonly Choice[]): JsonObject {
  return { ...context, [FIELD]: { choices: choices.map(({ label, says }) => ({ label, says })) } };
}

/** The context of a row after which the answers that the row `key` suggests mean nothing. */
export function withClosed(context: JsonObject, key: string): JsonObject {
  return { ...context, [FIELD]: { closes: key } };
}

/** A row's context as the channel gave it, and what is kept there. */
export function contextAndChoices(
  context: JsonObject,
): Pick<Delivery, "context" | "choices" | "closes"> {
  const { [FIELD]: kept, ...own } = context;
  if (kept === undefined) return { context };
  return { context: own, ...keptSchema.safeParse(kept).data };
}
