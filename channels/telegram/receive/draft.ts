/**
 * Drafts of messages whose files have to be fetched.
 * @module
 */

import { z } from "zod";
import { asJson, type JsonObject } from "../../../actors/kernel/json.ts";
import type { Incomplete } from "../../drafts.ts";
import { messageSchema } from "../wire.ts";
import type { Contents, Received } from "./contents.ts";

const draftSchema = z.object({ album: z.array(messageSchema), lateMs: z.number().catch(0) });

/** What a draft keeps of its message. */
export function draftOf({ album, lateMs }: Received): JsonObject {
  return asJson({ album: album.map((message) => ({ ...message })), lateMs });
}

/** What a draft lacks; null for what is no draft. */
export function readDraft(
  draft: JsonObject,
  contents: Pick<Contents, "fetch" | "bare">,
): Incomplete | null {
  const received = draftSchema.safeParse(draft).data;
  if (received === undefined) return null;
  return { fetch: () => contents.fetch(received), bare: () => contents.bare(received) };
}
