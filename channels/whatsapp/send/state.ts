/**
 * What the channel stores about a delivery, to finish it after a crash.
 * @module
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import { asJson, type JsonValue } from "../../../actors/kernel/json.ts";

/** A message to be sent: a text, or a file. */
export type PartRecord =
  | { readonly kind: "text"; readonly id: string; readonly text: string }
  | { readonly kind: "file"; readonly id: string; readonly path: string };

/** What there is of a delivery at the platform. */
export interface DeliveryState {
  /** What is to be sent; null until it was rendered. */
  readonly parts: readonly PartRecord[] | null;
  /** How many of them the server has. */
  readonly sent: number;
}

const NOTHING_SENT: DeliveryState = { parts: null, sent: 0 };

const stateSchema: z.ZodType<DeliveryState> = z.object({
  parts: z.array(z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("text"), id: z.string(), text: z.string() }),
    z.object({ kind: z.literal("file"), id: z.string(), path: z.string() }),
  ])).nullable(),
  sent: z.int().min(0),
});

/** @param stored what was last remembered */
export function readState(stored: JsonValue): DeliveryState {
  return stored === null ? NOTHING_SENT : stateSchema.parse(stored);
}

/** The state as it is stored. */
export function writeState({ parts, sent }: DeliveryState): JsonValue {
  return { sent, parts: parts === null ? null : parts.map((part) => asJson({ ...part })) };
}

/** How the library's own ids begin. */
const ID_PREFIX = "3EB0";
const ID_DIGITS = 18;

/** The id of a message, the same for the same `words` in every run of the program. */
export function messageId(...words: readonly (string | number)[]): string {
  const sum = createHash("sha256").update(JSON.stringify(words)).digest("hex");
  return ID_PREFIX + sum.slice(0, ID_DIGITS).toUpperCase();
}
