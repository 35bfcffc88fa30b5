/**
 * How far a mailbox was read.
 * @module
 */

import { z } from "zod";
import type { JsonObject, JsonValue } from "../../actors/kernel/json.ts";

/** Where reading goes on. */
export interface MailCursor {
  /** Numbers count only as long as the mailbox has this. */
  readonly uidValidity: string;
  /** The first mail that was not dealt with. */
  readonly nextUid: number;
  /** When the last one came that was, epoch milliseconds. */
  readonly sinceMs: number;
  /** By what name the own server signs its checks, as far as that was learned. */
  readonly authServId: string | null;
}

const cursorSchema = z.object({
  uid_validity: z.string(),
  next_uid: z.number(),
  since_ms: z.number(),
  auth_serv_id: z.string().nullable(),
});

/** What {@link writeCursor} wrote; null for anything else. */
export function readCursor(stored: JsonValue): MailCursor | null {
  const read = cursorSchema.safeParse(stored).data;
  if (read === undefined) return null;
  return {
    uidValidity: read.uid_validity,
    nextUid: read.next_uid,
    sinceMs: read.since_ms,
    authServId: read.auth_serv_id,
  };
}

/** The cursor as it is stored. */
export function writeCursor({ uidValidity, nextUid, sinceMs, authServId }: MailCursor): JsonObject {
  return {
    uid_validity: uidValidity,
    next_uid: nextUid,
    since_ms: sinceMs,
    auth_serv_id: authServId,
  };
}
