/**
 * Drafts of messages whose files have to be fetched.
 * @module
 */

import { z } from "zod";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import type { Incomplete } from "../../drafts.ts";
import { receivedSchema } from "../wire.ts";
import type { MessageContents, Received } from "./contents.ts";

const idsSchema = z.object({ phone: z.string().nullable(), lid: z.string().nullable() });
const draftSchema: z.ZodType<Received> = z.object({
  message: receivedSchema,
  sender: idsSchema,
  self: idsSchema,
  lateMs: z.number().catch(0),
});
const jsonSchema: z.ZodType<JsonValue> = z.json();

/** What a draft keeps of its message. */
export function draftOf({ message, sender, self, lateMs }: Received): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(message));
  return { message: jsonSchema.parse(plain), sender: { ...sender }, self: { ...self }, lateMs };
}

/** What a draft lacks; null for what is no draft. */
export function readDraft(
  draft: JsonObject,
  contents: Pick<MessageContents, "fetch" | "bare">,
): Incomplete | null {
  const received = draftSchema.safeParse(draft).data;
  if (received === undefined) return null;
  return {
    fetch: () => contents.fetch(received),
    bare: () => contents.bare(received),
  };
}
