/**
 * Opaque data of a vendor in a conversation (signed thinking, encrypted reasoning), which only
 * the model that made it may see again.
 * @module
 */

import { z } from "zod";
import type { JsonObject } from "../../actors/kernel/json.ts";

const origin = z.object({ _meta: z.object({ origin: z.string() }) });

/** The block with a note of where it comes from, which never leaves the gateway. */
export function withOrigin(block: JsonObject, from: string): JsonObject {
  return { ...block, _meta: { origin: from } };
}

/** The blocks that come from there, as they came. */
export function blocksFrom(
  blocks: readonly JsonObject[] | undefined,
  from: string,
): readonly JsonObject[] {
  return (blocks ?? []).flatMap((block) => {
    if (origin.safeParse(block).data?._meta.origin !== from) return [];
    const { _meta, ...plain } = block;
    return [plain];
  });
}
