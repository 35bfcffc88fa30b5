/**
 * What a device's credentials say about its account, read without the library.
 * @module
 */

import { z } from "zod";
import { type PersonIds, personOf } from "../ids.ts";

const schema = z.object({
  me: z.object({ id: z.string(), lid: z.string().optional().catch(undefined) }).optional(),
});

/** Whose device it is. @param credentials as stored; null for none */
export function ownIdsIn(credentials: string | null): PersonIds {
  if (credentials === null) return personOf();
  const { me } = schema.parse(JSON.parse(credentials));
  return personOf(me?.id, me?.lid);
}
