/**
 * What the channel stores about a delivery, to finish it after a crash.
 * @module
 */

import { z } from "zod";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import { type Remember, StoredRecord } from "../../stored_record.ts";
import type { FileType } from "../api.ts";

/** A message to be sent: a text, or a file. */
export type PartRecord =
  | { readonly kind: "text"; readonly text: string; readonly isMarkdown: boolean }
  | { readonly kind: "file"; readonly path: string; readonly type: FileType };

/** A message that went out, and nobody knows yet whether it arrived. */
export interface Trying {
  /** The message that it answers; null when it answers none. */
  readonly message_id: string | null;
  /** It can be sent again under the same number, and shows once. */
  readonly is_safe: boolean;
}

/** What there is of a delivery at the platform. */
export interface DeliveryState {
  /** What is to be sent; null until the delivery was rendered. */
  readonly parts: readonly PartRecord[] | null;
  /** Ids of the parts sent so far; "" for one that arrived without our hearing of it. */
  readonly sent: readonly string[];
  /** The next part; null when it did not go out yet. */
  readonly trying: Trying | null;
  /** Refusals of the next part so far. */
  readonly attempt: number;
}

/** The stored state of one delivery. */
export type DeliveryRecord = StoredRecord<DeliveryState>;

const NOTHING_SENT: DeliveryState = { parts: null, sent: [], trying: null, attempt: 0 };

const partSchema: z.ZodType<PartRecord> = z.union([
  z.object({ kind: z.literal("text"), text: z.string(), isMarkdown: z.boolean() }),
  z.object({
    kind: z.literal("file"),
    path: z.string(),
    type: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]),
  }),
]);

const stateSchema: z.ZodType<DeliveryState> = z.object({
  parts: z.array(partSchema).nullable(),
  sent: z.array(z.string()),
  trying: z.object({ message_id: z.string().nullable(), is_safe: z.boolean() }).nullable(),
  attempt: z.number(),
});

/** The record of a delivery. @param stored what was last remembered under `key` */
export function deliveryRecord(key: string, stored: JsonValue, remember: Remember): DeliveryRecord {
  const state = stored === null ? NOTHING_SENT : stateSchema.parse(stored);
  return new StoredRecord({ key, state, write: asJson, remember });
}

function asJson({ parts, sent, trying, attempt }: DeliveryState): JsonValue {
  return {
    parts: parts === null ? null : parts.map((part) => ({ ...part })),
    sent: [...sent],
    trying: trying === null ? null : { ...trying },
    attempt,
  };
}
