/**
 * What the channel stores about a delivery, to finish it after a crash.
 * @module
 */

import { z } from "zod";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import { type Remember, StoredRecord } from "../../stored_record.ts";

/** How far the mail of a delivery is. */
export interface MailState {
  /** It was given to the server, and nobody knows yet whether the server took it. */
  readonly is_trying: boolean;
  readonly is_sent: boolean;
}

/** The stored state of one delivery. */
export type MailRecord = StoredRecord<MailState>;

const UNSENT: MailState = { is_trying: false, is_sent: false };
const stateSchema: z.ZodType<MailState> = z.object({
  is_trying: z.boolean(),
  is_sent: z.boolean(),
});

/** The record of a delivery. @param stored what was last remembered under `key` */
export function mailRecord(key: string, stored: JsonValue, remember: Remember): MailRecord {
  const state = stored === null ? UNSENT : stateSchema.parse(stored);
  return new StoredRecord({ key, state, write: (changed) => ({ ...changed }), remember });
}
