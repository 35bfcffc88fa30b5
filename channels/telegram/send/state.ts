/**
 * What the channel stores about a delivery, to finish it after a crash.
 * @module
 */

import { z } from "zod";
import type { JsonValue } from "../../../actors/kernel/json.ts";
import type { FileKind, TextBody } from "../link.ts";
import type { Entity } from "../render/styled.ts";

/** A message to be sent: a text, or a file. */
export type PartRecord =
  | { readonly kind: "text" } & TextBody
  | { readonly kind: FileKind; readonly path: string };

/** What there is of a delivery at the platform. */
export interface DeliveryState {
  /** Ids of the messages in which the text grows, in order. */
  readonly live: readonly number[];
  /** What else is to be sent; null until the final delivery was rendered. */
  readonly parts: readonly PartRecord[] | null;
  /** Ids of the parts sent so far. */
  readonly sent: readonly number[];
  /**
   * The next message (of the parts, or, without any, of the text that grows) went out, and nobody
   * knows yet whether it arrived.
   */
  readonly is_trying: boolean;
  /** What is said about files that could not be sent; "" when all could. */
  readonly note: string;
}

/** A delivery of which the platform knows nothing. */
export const NOTHING_SENT: DeliveryState = {
  live: [],
  parts: null,
  sent: [],
  is_trying: false,
  note: "",
};

const stretch = { offset: z.number(), length: z.number() };
const entitySchema: z.ZodType<Entity> = z.union([
  z.object({ type: z.literal("text_link"), url: z.string(), ...stretch }),
  z.object({ type: z.literal("pre"), language: z.string().exactOptional(), ...stretch }),
  z.object({
    type: z.enum([
      "bold",
      "italic",
      "strikethrough",
      "code",
      "blockquote",
      "expandable_blockquote",
    ]),
    ...stretch,
  }),
]);

const stateSchema: z.ZodType<DeliveryState> = z.object({
  live: z.array(z.number()),
  parts: z.array(z.union([
    z.object({
      kind: z.literal("text"),
      text: z.string(),
      entities: z.array(entitySchema),
      choices: z.array(z.object({ label: z.string(), says: z.string() })).exactOptional(),
    }),
    z.object({
      kind: z.enum(["photo", "animation", "video", "audio", "voice", "document"]),
      path: z.string(),
    }),
  ])).nullable(),
  sent: z.array(z.number()),
  is_trying: z.boolean(),
  note: z.string(),
});

/** Where states are stored; resolves when durable. */
export type Remember = (key: string, state: JsonValue) => Promise<void>;

/** What the platform has of one delivery, changed and saved together. */
export class DeliveryRecord {
  readonly key: string;
  readonly #remember: Remember;
  #state: DeliveryState;

  /** @param stored what was last remembered under `key` */
  constructor(key: string, stored: JsonValue, remember: Remember) {
    this.key = key;
    this.#state = stored === null ? NOTHING_SENT : stateSchema.parse(stored);
    this.#remember = remember;
  }

  get state(): DeliveryState {
    return this.#state;
  }

  /** Changes the state in memory; it becomes durable with the next save, if there is one. */
  note(change: Partial<DeliveryState>): void {
    this.#state = { ...this.#state, ...change };
  }

  /** Changes the state; resolves when it is durable. */
  async save(change: Partial<DeliveryState>): Promise<void> {
    this.note(change);
    const { parts, ...rest } = this.#state;
    await this.#remember(this.key, {
      ...rest,
      parts: parts === null ? null : parts.map(asJsonPart),
    });
  }
}

function asJsonPart(part: PartRecord): JsonValue {
  if (part.kind !== "text") return { ...part };
  const { choices, ...rest } = part;
  return {
    ...rest,
    entities: part.entities.map((entity) => ({ ...entity })),
    ...(choices !== undefined && { choices: choices.map((choice) => ({ ...choice })) }),
  };
}
