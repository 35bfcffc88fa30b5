/**
 * What the channel stores about a delivery, to finish it after a crash.
 * @module
 */

import { z } from "zod";
import type { JsonValue } from "../../../actors/kernel/json.ts";

/** A streaming card. */
export interface CardRecord {
  readonly card_id: string;
  /** Null until the message that shows the card was sent. */
  readonly message_id: string | null;
  /** Operations of the card have used numbers up to this one at most. */
  readonly sequence_bound: number;
}

/** One platform message: `body` is its content as JSON, or the key of an uploaded file. */
export interface PartRecord {
  readonly form: "text" | "post" | "interactive" | "image" | "file" | "audio" | "media";
  readonly body: string;
  /** The key of a video's cover; "" without one. */
  readonly cover: string;
  /** What it shows, for a simpler form; "" for files. */
  readonly source: string;
  /** The file's name, for a word about it when it cannot be sent; "" for texts. */
  readonly name: string;
  readonly uuid: string;
}

/** What there is of a delivery at the platform. */
export interface DeliveryState {
  readonly cards: readonly CardRecord[];
  /** Null until the final delivery was rendered. */
  readonly parts: readonly PartRecord[] | null;
  /** Message ids of the parts sent so far. */
  readonly sent: readonly string[];
  /** When the first part that is not known to be sent or refused was first tried. */
  readonly attempt_ms: number | null;
  /** The text goes out among the parts, not in the cards. */
  readonly is_text_in_parts: boolean;
  /** What is said about files that could not be sent; "" when all could. */
  readonly note: string;
  /** Keys of the pictures that the text names, by the address there. */
  readonly images: Readonly<Record<string, string>>;
  /** What ran while the answer grew. */
  readonly steps: readonly string[];
  /** What the model thought while the answer grew, as far as it is shown. */
  readonly reasoning: string;
}

/** A delivery of which the platform knows nothing. */
export const NOTHING_SENT: DeliveryState = {
  cards: [],
  parts: null,
  sent: [],
  attempt_ms: null,
  is_text_in_parts: false,
  note: "",
  images: {},
  steps: [],
  reasoning: "",
};

const stateSchema = z.object({
  cards: z.array(z.object({
    card_id: z.string(),
    message_id: z.string().nullable(),
    sequence_bound: z.number(),
  })),
  parts: z.array(z.object({
    form: z.enum(["text", "post", "interactive", "image", "file", "audio", "media"]),
    body: z.string(),
    // States of before there were covers have none.
    cover: z.string().default(""),
    source: z.string(),
    name: z.string(),
    uuid: z.string(),
  })).nullable(),
  sent: z.array(z.string()),
  attempt_ms: z.number().nullable(),
  is_text_in_parts: z.boolean(),
  note: z.string(),
  images: z.record(z.string(), z.string()),
  steps: z.array(z.string()),
  // States of before it was shown have none.
  reasoning: z.string().default(""),
});

/** The state that was stored; {@link NOTHING_SENT} when there is none. */
export function readState(stored: JsonValue): DeliveryState {
  return stored === null ? NOTHING_SENT : stateSchema.parse(stored);
}

/** The state as it is stored. */
export function writeState(state: DeliveryState): JsonValue {
  return {
    cards: state.cards.map((card) => ({ ...card })),
    parts: state.parts === null ? null : state.parts.map((part) => ({ ...part })),
    sent: state.sent,
    attempt_ms: state.attempt_ms,
    is_text_in_parts: state.is_text_in_parts,
    note: state.note,
    images: state.images,
    steps: state.steps,
    reasoning: state.reasoning,
  };
}
