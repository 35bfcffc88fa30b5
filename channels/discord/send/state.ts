/**
 * What the channel stores about a delivery, to finish it after a crash.
 * @module
 */

import { z } from "zod";
import type { Choice } from "../../channel.ts";
import type { JsonValue } from "../../../actors/kernel/json.ts";

/** A message of text. */
export interface TextRecord {
  readonly text: string;
  readonly nonce: string;
  /** Answers that it suggests. @default none */
  readonly choices?: readonly Choice[];
}

/** A message that carries a file. */
export interface FileRecord {
  /** Absolute. */
  readonly path: string;
  readonly nonce: string;
  /** Null until it was sent; "" when it could not be. */
  readonly message_id: string | null;
}

/** What there is of a delivery at the platform. */
export interface DeliveryState {
  /** Null until the final delivery was laid out. */
  readonly texts: readonly TextRecord[] | null;
  readonly files: readonly FileRecord[];
  /** Messages that show the texts so far, in order. */
  readonly shown: readonly string[];
  /** When the first message that is not known to be sent or refused was first tried. */
  readonly attempt_ms: number | null;
  /** Words about files that could not be sent; "" when all could. */
  readonly note: string;
}

/** A delivery of which the platform knows nothing. */
export const NOTHING_SENT: DeliveryState = {
  texts: null,
  files: [],
  shown: [],
  attempt_ms: null,
  note: "",
};

const stateSchema = z.object({
  texts: z.array(z.object({
    text: z.string(),
    nonce: z.string(),
    choices: z.array(z.object({ label: z.string(), says: z.string() })).exactOptional(),
  })).nullable(),
  files: z.array(
    z.object({ path: z.string(), nonce: z.string(), message_id: z.string().nullable() }),
  ),
  shown: z.array(z.string()),
  attempt_ms: z.number().nullable(),
  note: z.string(),
});

/** The state that was stored; {@link NOTHING_SENT} when there is none. */
export function readState(stored: JsonValue): DeliveryState {
  return stored === null ? NOTHING_SENT : stateSchema.parse(stored);
}

/** The state as it is stored. */
export function writeState(state: DeliveryState): JsonValue {
  return {
    texts: state.texts?.map(({ choices, ...text }) => ({
      ...text,
      ...(choices !== undefined && { choices: choices.map((choice) => ({ ...choice })) }),
    })) ?? null,
    files: state.files.map((file) => ({ ...file })),
    shown: state.shown,
    attempt_ms: state.attempt_ms,
    note: state.note,
  };
}
