/**
 * The shapes of the journal's rows in SQLite, checked and decoded when they are read.
 * @module
 */

import { z } from "zod";
import type { JsonValue } from "../../kernel/json.ts";
import { JournalError } from "../journal.ts";
import type { HistoryLine, Inbound, KeptRecord, Outbound, TurnRecord } from "../journal_rows.ts";
import { OUTBOUND_STATES } from "../outbound_rules.ts";
import { INBOUND_STATES, type InboundStatus } from "../rules.ts";
import type { SessionAt } from "../store.ts";
import type { UsageRow } from "../usage.ts";
import { decodeJson, decodeJsonObject, decodeNullable, decodeText } from "./sqlite_text.ts";

const flag = z.literal([0, 1]);
const strings = z.array(z.string());
const settlements = z.array(z.object({
  platformId: z.string(),
  outcome: z.enum(["done", "failed", "stopped"]),
}));

// One decoding step per row, not per column: this is on the way of every message.
const statusColumns = {
  seq: z.int(),
  sessionKey: z.string(),
  state: z.enum(INBOUND_STATES),
  turnId: z.string().nullable(),
  turnLine: z.int().nullable(),
  endedAtMs: z.int().nullable(),
};

/** The part of an inbound that its rules need. */
export const statusRow: z.ZodType<InboundStatus> = z.object(statusColumns).transform((row) => ({
  ...row,
  sessionKey: decodeText(row.sessionKey),
  turnId: decodeNullable(row.turnId),
}));

/** A whole inbound. */
export const inboundRow: z.ZodType<Inbound> = z.object({
  ...statusColumns,
  channelState: z.string(),
  channel: z.string(),
  platformId: z.string(),
  chatId: z.string(),
  replyChannel: z.string().nullable(),
  senderId: z.string(),
  wantsStream: flag,
  acceptedAtMs: z.int(),
  media: z.string(),
  context: z.string(),
  content: z.string(),
  draft: z.string().nullable(),
}).transform((row) => ({
  ...row,
  sessionKey: decodeText(row.sessionKey),
  turnId: decodeNullable(row.turnId),
  draft: row.draft === null ? null : decodeJsonObject(row.draft),
  channelState: decodeJson(row.channelState),
  channel: decodeText(row.channel),
  platformId: decodeText(row.platformId),
  chatId: decodeText(row.chatId),
  replyChannel: decodeNullable(row.replyChannel),
  senderId: decodeText(row.senderId),
  wantsStream: row.wantsStream === 1,
  media: strings.parse(decodeJson(row.media)),
  context: decodeJsonObject(row.context),
  content: decodeText(row.content),
}));

/** What a channel remembers about an inbound. */
export const memoryRow: z.ZodType<{ readonly channelState: JsonValue }> = z
  .object({ channelState: z.string() })
  .transform((row) => ({ channelState: decodeJson(row.channelState) }));

/** A turn. */
export const turnRow: z.ZodType<TurnRecord> = z.object({
  turnId: z.string(),
  sessionKey: z.string(),
  attempts: z.int(),
  lines: z.int(),
  soloSeq: z.int().nullable(),
}).transform((row) => ({
  ...row,
  turnId: decodeText(row.turnId),
  sessionKey: decodeText(row.sessionKey),
}));

/** A line of history. */
export const lineRow: z.ZodType<HistoryLine> = z.object({
  sessionKey: z.string(),
  turnId: z.string(),
  line: z.int(),
  inboundSeq: z.int().nullable(),
  text: z.string(),
}).transform((row) => ({
  ...row,
  sessionKey: decodeText(row.sessionKey),
  turnId: decodeText(row.turnId),
  text: decodeText(row.text),
}));

/** A whole outbound. */
export const outboundRow: z.ZodType<Outbound> = z.object({
  id: z.int(),
  key: z.string(),
  state: z.enum(OUTBOUND_STATES),
  attempts: z.int(),
  firstAttemptMs: z.int().nullable(),
  nextAttemptMs: z.int(),
  doubtSinceMs: z.int().nullable(),
  mayRepeat: flag,
  endedAtMs: z.int().nullable(),
  error: z.string().nullable(),
  receipt: z.string(),
  channelState: z.string(),
  channel: z.string(),
  chatId: z.string(),
  sessionKey: z.string(),
  isPlain: flag,
  createdAtMs: z.int(),
  media: z.string(),
  context: z.string(),
  settles: z.string(),
  preamble: z.string(),
  content: z.string(),
}).transform((row) => ({
  ...row,
  key: decodeText(row.key),
  mayRepeat: row.mayRepeat === 1,
  error: decodeNullable(row.error),
  receipt: strings.parse(decodeJson(row.receipt)),
  channelState: decodeJson(row.channelState),
  channel: decodeText(row.channel),
  chatId: decodeText(row.chatId),
  sessionKey: decodeText(row.sessionKey),
  isPlain: row.isPlain === 1,
  media: strings.parse(decodeJson(row.media)),
  context: decodeJsonObject(row.context),
  settles: settlements.parse(decodeJson(row.settles)),
  preamble: decodeText(row.preamble),
  content: decodeText(row.content),
}));

/** A session and one of its inbounds. */
export const sessionAtRow: z.ZodType<SessionAt> = z
  .object({ sessionKey: z.string(), seq: z.int() })
  .transform((row) => ({ ...row, sessionKey: decodeText(row.sessionKey) }));

/** A session, alone. */
export const sessionRow: z.ZodType<string> = z
  .object({ sessionKey: z.string() })
  .transform((row) => decodeText(row.sessionKey));

/** A note. */
export const noteRow: z.ZodType<{ readonly value: JsonValue }> = z
  .object({ value: z.string() })
  .transform((row) => ({ value: decodeJson(row.value) }));

/** A note's key, alone. */
export const noteKeyRow: z.ZodType<string> = z
  .object({ key: z.string() })
  .transform(({ key }) => decodeText(key));

/** A sum of what model calls used. */
export const usageRow: z.ZodType<UsageRow> = z.object({
  scope: z.enum(["day", "session", "turn"]),
  name: z.string(),
  provider: z.string(),
  model: z.string(),
  updatedAtMs: z.int(),
  calls: z.int(),
  estimatedCalls: z.int(),
  unpricedCalls: z.int(),
  inputTokens: z.int(),
  cachedTokens: z.int(),
  cacheWriteTokens: z.int(),
  outputTokens: z.int(),
  reasoningTokens: z.int(),
  costNanos: z.int(),
}).transform((row) => ({
  ...row,
  name: decodeText(row.name),
  provider: decodeText(row.provider),
  model: decodeText(row.model),
}));

/** What a turn took in. */
export const recordRow: z.ZodType<KeptRecord> = z.object({
  place: z.int(),
  sessionKey: z.string(),
  turnId: z.string(),
  atMs: z.int(),
  text: z.string(),
}).transform((row) => ({
  ...row,
  sessionKey: decodeText(row.sessionKey),
  turnId: decodeText(row.turnId),
  text: decodeText(row.text),
}));

/** How many pages of the file are free. */
export const freePagesRow: z.ZodType<{ readonly freelist_count: number }> = z
  .object({ freelist_count: z.int() });

/** The seq of an inbound, alone. */
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
  try {
    return schema.parse(row);
  } catch (error) {
    const message = "Cannot read a row of the journal: it makes no sense";
    throw new JournalError("journal_damaged", message, { cause: error });
  }
}
