/**
 * The shapes of the journal's rows in SQLite: what is written, and what is checked when read.
 * @module
 */

import { z } from "zod";
import {
  type HistoryLine,
  type Inbound,
  JournalError,
  type Outbound,
  type TurnRecord,
} from "../journal.ts";
import type { JsonObject, JsonValue } from "../../kernel/json.ts";
import { INBOUND_STATES, type InboundStatus, OUTBOUND_STATES } from "../rules.ts";

/**
 * A string as SQLite can keep it. It cuts text at a NUL and cannot hold half a surrogate pair, so
 * strings with either are kept as JSON; a leading quote tells the two forms apart.
 */
export function encodeText(value: string): string {
  const isPlain = !value.startsWith('"') && !value.includes("\0") && value.isWellFormed();
  return isPlain ? value : JSON.stringify(value);
}

/** Whatever JSON text holds; an issue where it is none. */
function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: `no JSON: ${error}` });
    return z.NEVER;
  }
}

const text = z.string().transform((value, context) =>
  value.startsWith('"') ? parseJson(value, context) : value
).pipe(z.string());
const flag = z.literal([0, 1]).transform((value) => value === 1);
/** What came out of JSON.parse is JSON; opaque values are not looked into. */
const json = z.string().transform(parseJson).pipe(z.custom<JsonValue>());
const jsonObject = z.string().transform(parseJson).pipe(
  z.custom<JsonObject>((value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
  ),
);
const strings = z.string().transform(parseJson).pipe(z.array(z.string()));
const settlements = z.string().transform(parseJson).pipe(z.array(z.object({
  platformId: z.string(),
  outcome: z.enum(["done", "failed", "stopped"]),
})));

const statusShape = {
  seq: z.int(),
  sessionKey: text,
  state: z.enum(INBOUND_STATES),
  turnId: text.nullable(),
};

/** The part of an inbound that its rules need. */
export const statusRow: z.ZodType<InboundStatus> = z.object(statusShape);

/** A whole inbound. */
export const inboundRow: z.ZodType<Inbound> = z.object({
  ...statusShape,
  channelState: json,
  channel: text,
  platformId: text,
  chatId: text,
  senderId: text,
  wantsStream: flag,
  acceptedAtMs: z.int(),
  media: strings,
  context: jsonObject,
  content: text,
});

/** What a channel remembers about an inbound. */
export const memoryRow: z.ZodType<{ readonly channelState: JsonValue }> = z.object({
  channelState: json,
});

/** A turn. */
export const turnRow: z.ZodType<TurnRecord> = z.object({
  turnId: text,
  sessionKey: text,
  attempts: z.int(),
  lines: z.int(),
});

/** A line of history. */
export const lineRow: z.ZodType<HistoryLine> = z.object({
  sessionKey: text,
  turnId: text,
  line: z.int(),
  inboundSeq: z.int().nullable(),
  text,
});

/** A whole outbound. */
export const outboundRow: z.ZodType<Outbound> = z.object({
  id: z.int(),
  key: text,
  state: z.enum(OUTBOUND_STATES),
  attempts: z.int(),
  firstAttemptMs: z.int().nullable(),
  nextAttemptMs: z.int(),
  error: text.nullable(),
  receipt: strings,
  channelState: json,
  channel: text,
  chatId: text,
  sessionKey: text,
  isPlain: flag,
  createdAtMs: z.int(),
  media: strings,
  context: jsonObject,
  settles: settlements,
  preamble: text,
  content: text,
});

/** A session and its oldest unfinished inbound. */
export const sessionRow: z.ZodType<{ readonly sessionKey: string; readonly oldest: number }> = z
  .object({ sessionKey: text, oldest: z.int() });

/** The number that a row of its own holds. */
export const seqRow: z.ZodType<{ readonly seq: number }> = z.object({ seq: z.int() });

/** How many rows of a table are in a state. */
export const countRow: z.ZodType<
  { readonly kind: string; readonly state: string; readonly rows: number }
> = z.object({ kind: z.string(), state: z.string(), rows: z.int() });

/**
 * A row of the database as what it must be.
 *
 * @throws {JournalError} `journal_damaged` when it is something else
 */
export function readRow<T>(schema: z.ZodType<T>, row: unknown): T {
  const result = schema.safeParse(row);
  if (result.success) return result.data;
  const where = result.error.issues[0]?.path.join(".") ?? "";
  throw new JournalError(
    "journal_damaged",
    `Cannot read a row of the journal: its "${where}" makes no sense`,
  );
}
