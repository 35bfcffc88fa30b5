/**
 * What the channel stores about a delivery, to finish it after a crash.
 * @module
 */

import { z } from "zod";
import type { JsonObject, JsonValue } from "../../../actors/kernel/json.ts";
import { type Remember, StoredRecord } from "../../stored_record.ts";

/** A message as it is to be shown, rendered once. */
export interface PartRecord {
  readonly text: string;
  readonly blocks: readonly JsonObject[];
}

/** An uploaded file. */
export interface FileRecord {
  readonly file_id: string;
  readonly name: string;
  /** People see it. */
  readonly is_shared: boolean;
}

/** A call that makes something appear, of which no end is known yet. */
export interface AttemptRecord {
  /** The message's key, or the file's id. */
  readonly key: string;
  readonly kind: "message" | "file";
  /** When it began. */
  readonly at_ms: number;
}

/** What there is of a delivery at Slack. */
export interface DeliveryState {
  /** Messages in the chat, in order: parts of the answer, growing or whole. */
  readonly shown: readonly string[];
  /** Messages were put there while the answer still grew. */
  readonly has_grown: boolean;
  /** Null until the final delivery was rendered. */
  readonly parts: readonly PartRecord[] | null;
  readonly files: readonly FileRecord[];
  readonly attempt: AttemptRecord | null;
}

/** A delivery of which Slack knows nothing. */
const NOTHING_SENT: DeliveryState = {
  shown: [],
  has_grown: false,
  parts: null,
  files: [],
  attempt: null,
};

const objectSchema: z.ZodType<JsonObject> = z.record(z.string(), z.json());

const stateSchema: z.ZodType<DeliveryState> = z.object({
  shown: z.array(z.string()),
  has_grown: z.boolean(),
  parts: z.array(z.object({ text: z.string(), blocks: z.array(objectSchema) })).nullable(),
  files: z.array(z.object({ file_id: z.string(), name: z.string(), is_shared: z.boolean() })),
  attempt: z.object({
    key: z.string(),
    kind: z.enum(["message", "file"]),
    at_ms: z.number(),
  }).nullable(),
});

/** The stored state of one delivery. */
export class DeliveryRecord extends StoredRecord<DeliveryState> {
  /** @param stored what was last remembered under `key` */
  constructor(key: string, stored: JsonValue, remember: Remember) {
    const state = stored === null ? NOTHING_SENT : stateSchema.parse(stored);
    super({ key, state, write: writeState, remember });
  }

  /** Key of the next message. */
  get nextKey(): string {
    return `${this.key}:${this.state.shown.length}`;
  }
}

/** The record's files, with this one shared. */
export function sharedWith({ state }: DeliveryRecord, fileId: string): readonly FileRecord[] {
  return state.files.map((file) => file.file_id === fileId ? { ...file, is_shared: true } : file);
}

function writeState({ shown, has_grown, parts, files, attempt }: DeliveryState): JsonValue {
  return {
    shown,
    has_grown,
    parts: parts === null ? null : parts.map((part) => ({ ...part })),
    files: files.map((file) => ({ ...file })),
    attempt: attempt === null ? null : { ...attempt },
  };
}
