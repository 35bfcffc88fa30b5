/**
 * What the channel stores about a delivery, to finish it after a crash.
 * @module
 */

import { z } from "zod";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import { type Remember, StoredRecord } from "../../stored_record.ts";

/** How a file is sent. `zip`: in an archive, for what DingTalk takes no other way. */
export type FileMode = "image" | "file" | "zip";

/** A message to be sent: a text, or a file. */
export type PartRecord =
  | { readonly kind: "markdown" | "plain"; readonly text: string }
  | { readonly kind: FileMode; readonly path: string };

/** A file to be sent. */
export type FilePart = Extract<PartRecord, { readonly path: string }>;

/** What there is of a delivery at the platform. */
export interface DeliveryState {
  /** What is to be sent; null until the final delivery was rendered. */
  readonly parts: readonly PartRecord[] | null;
  /** Keys of the parts sent so far. */
  readonly sent: readonly string[];
  /** The next part went out, and nobody knows yet whether it arrived. */
  readonly is_trying: boolean;
}

const NOTHING_SENT: DeliveryState = { parts: null, sent: [], is_trying: false };

const stateSchema: z.ZodType<DeliveryState> = z.object({
  parts: z.array(z.union([
    z.object({ kind: z.enum(["markdown", "plain"]), text: z.string() }),
    z.object({ kind: z.enum(["image", "file", "zip"]), path: z.string() }),
  ])).nullable(),
  sent: z.array(z.string()),
  is_trying: z.boolean(),
});

/** What the platform has of one delivery. */
export type DeliveryRecord = StoredRecord<DeliveryState>;

/** The record of a delivery. @param stored what was last remembered under `key` */
export function recordOf(key: string, stored: JsonValue, remember: Remember): DeliveryRecord {
  const state = stored === null ? NOTHING_SENT : stateSchema.parse(stored);
  return new StoredRecord({ key, state, write, remember });
}

function write({ parts, sent, is_trying }: DeliveryState): JsonValue {
  return {
    parts: parts === null ? null : parts.map((part) => ({ ...part })),
    sent: [...sent],
    is_trying,
  };
}
