/**
 * The format of a session's file: JSON lines, metadata and messages, as nanobot writes them.
 * @module
 */

import { z } from "zod";
import type { ChatMessage } from "../../providers/provider.ts";
import { type Breathe, eachLine } from "../kernel/breathing.ts";
import { withoutByteOrderMark } from "../kernel/byte_order_mark.ts";
import { invariant } from "../kernel/invariant.ts";
import { isObject, type JsonObject, type JsonValue } from "../kernel/json.ts";
import { decodeMessage, plainMessage, storable } from "./message_line.ts";

/** What a session remembers besides its messages. */
export interface SessionMetadata {
  /** null where the file does not tell. */
  readonly key: string | null;
  /** Epoch milliseconds; null where the file does not tell. */
  readonly createdAtMs: number | null;
  readonly updatedAtMs: number | null;
  readonly metadata: JsonObject;
  /** How many leading messages were summarised and are not replayed; not checked against their number. */
  readonly lastConsolidated: number;
}

/** A message with what its line says about it. */
export interface StoredMessage {
  readonly message: ChatMessage;
  /** Epoch milliseconds; null where the line does not tell. */
  readonly timestampMs: number | null;
  /** `<turn>:<n>`; null in lines that are not ours. */
  readonly lineId: string | null;
  /** Further fields of the line (`sender_id`, `injected_event`, …). */
  readonly extras: JsonObject;
}

/**
 * Field of a line that takes other lines, named by their ids, out of what the model is shown. Such a
 * line is itself not shown.
 */
export const SET_ASIDE = "set_aside";

/**
 * A message whose line was looked at, and is read when somebody asks for more than its id: of a long
 * conversation hardly anybody does. It is one of plain words, and sets nothing aside.
 */
export class UnreadMessage implements StoredMessage {
  readonly lineId: string | null;
  readonly #line: string;
  #stored: StoredMessage | undefined;

  constructor(line: string, lineId: string | null) {
    this.#line = line;
    this.lineId = lineId;
  }

  get message(): ChatMessage {
    return this.read().message;
  }

  get timestampMs(): number | null {
    return this.read().timestampMs;
  }

  get extras(): JsonObject {
    return this.read().extras;
  }

  /** The message, as those are that were read at once. */
  read(): StoredMessage {
    this.#stored ??= parseMessageLine(this.#line) ?? undefined;
    invariant(this.#stored !== undefined, "a line that was looked at is a message");
    return this.#stored;
  }
}

/** What stands in a session's file. */
export interface SessionFile {
  /** The last metadata line; null without one. */
  readonly metadata: SessionMetadata | null;
  readonly messages: readonly StoredMessage[];
  /** Lines that cannot be read, as they stand. */
  readonly damaged: readonly string[];
  /** The text without damaged lines, every line ended; the input itself when nothing is wrong. */
  readonly healthyText: string;
}

/** What a message's line says besides the message. */
export interface LineFields {
  readonly timestampMs: number;
  readonly lineId: string;
  readonly extras?: JsonObject;
}

/** Latest instant that a date can hold, in epoch milliseconds. */
const EPOCH_MS_MAX = 8.64e15;

const METADATA_SCHEMA = z.object({
  key: z.string().nullable().catch(null),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  metadata: z.record(z.string(), z.json()).catch({}),
  last_consolidated: z.number().int().catch(0),
});

/** Reads a session's file; never throws, whatever stands in it. */
export function parseSessionFile(text: string): SessionFile {
  const lines = new SessionLines();
  for (const line of text.split("\n")) {
    if (line.trim() !== "") lines.add(line);
  }
  return lines.fileOf(text);
}

/**
 * The same a little at a time, for texts of 100,000 lines: many a message is an
 * {@link UnreadMessage}.
 */
export async function readSessionText(text: string, breathe: Breathe): Promise<SessionFile> {
  const lines = new SessionLines({ leavesUnread: true });
  await eachLine(text, breathe, (line) => lines.add(line));
  return lines.fileOf(text);
}

/** The lines of one file, as they are read. */
class SessionLines {
  readonly #leavesUnread: boolean;
  #metadata: SessionMetadata | null = null;
  readonly #messages: StoredMessage[] = [];
  readonly #damaged: string[] = [];
  readonly #healthy: string[] = [];

  constructor({ leavesUnread = false }: { readonly leavesUnread?: boolean } = {}) {
    this.#leavesUnread = leavesUnread;
  }

  add(line: string): void {
    const fields = parseObject(line);
    if (this.#leavesUnread && fields !== null && isPlain(fields)) {
      this.#healthy.push(line);
      this.#messages.push(new UnreadMessage(line, lineIdIn(fields)));
      return;
    }
    const parsed = fields === null ? null : parseFields(fields);
    if (parsed === null) {
      this.#damaged.push(line);
      return;
    }
    this.#healthy.push(line);
    if (parsed.type === "metadata") this.#metadata = parsed.metadata;
    else this.#messages.push(parsed.stored);
  }

  fileOf(text: string): SessionFile {
    const damaged = this.#damaged;
    const isWhole = damaged.length === 0 && (text === "" || text.endsWith("\n"));
    const healthyText = isWhole ? text : this.#healthy.map((line) => `${line}\n`).join("");
    return { metadata: this.#metadata, messages: this.#messages, damaged, healthyText };
  }
}

/**
 * The lines of messages in a file's text that is healthy, as they stand, and what its last metadata
 * line says. Much faster than reading them.
 */
export function splitSessionText(
  text: string,
): { readonly lines: readonly string[]; readonly metadata: SessionMetadata | null } {
  const lines: string[] = [];
  let metadata: SessionMetadata | null = null;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const parsed = line.includes('"_type"') ? parseLine(line) : null;
    if (parsed?.type === "metadata") metadata = parsed.metadata;
    else lines.push(line);
  }
  return { lines, metadata };
}

/** Reads the line of one message; null when it is none. */
export function parseMessageLine(line: string): StoredMessage | null {
  const parsed = parseLine(line);
  return parsed?.type === "message" ? parsed.stored : null;
}

/** One message as a line, without its line end and without images. */
export function encodeMessageLine(message: ChatMessage, fields: LineFields): string {
  return JSON.stringify({
    ...fields.extras,
    ...storable(message),
    timestamp: encodeInstant(fields.timestampMs),
    line_id: fields.lineId,
  });
}

/** A metadata line, without its line end. */
export function encodeMetadataLine(metadata: SessionMetadata): string {
  return JSON.stringify({
    _type: "metadata",
    key: metadata.key,
    created_at: encodeInstant(metadata.createdAtMs ?? 0),
    updated_at: encodeInstant(metadata.updatedAtMs ?? metadata.createdAtMs ?? 0),
    metadata: metadata.metadata,
    last_consolidated: metadata.lastConsolidated,
  });
}

type ParsedLine =
  | { readonly type: "metadata"; readonly metadata: SessionMetadata }
  | { readonly type: "message"; readonly stored: StoredMessage };

function parseLine(line: string): ParsedLine | null {
  const fields = parseObject(line);
  return fields === null ? null : parseFields(fields);
}

/** null also for what is nested so deep that nobody can read it. */
function parseFields(fields: JsonObject): ParsedLine | null {
  try {
    return readFields(fields);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readFields(fields: JsonObject): ParsedLine | null {
  if (fields["_type"] === "metadata") return parseMetadata(fields);
  const decoded = decodeMessage(fields);
  if (decoded === null) return null;
  const { timestamp, line_id: _lineId, ...extras } = decoded.rest;
  const stored: StoredMessage = {
    message: decoded.message,
    timestampMs: decodeInstant(timestamp),
    lineId: lineIdIn(fields),
    extras,
  };
  return { type: "message", stored };
}

/** Whether a line is sure to be a message of nothing but words. */
function isPlain(fields: JsonObject): boolean {
  if (fields["_type"] === "metadata" || SET_ASIDE in fields) return false;
  return plainMessage(fields) !== null;
}

function lineIdIn({ line_id: lineId }: JsonObject): string | null {
  return typeof lineId === "string" ? lineId : null;
}

function parseObject(line: string): JsonObject | null {
  try {
    const value: JsonValue = JSON.parse(withoutByteOrderMark(line));
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function parseMetadata(fields: JsonObject): ParsedLine | null {
  const parsed = METADATA_SCHEMA.safeParse(fields);
  if (!parsed.success) return null;
  const { key, created_at: createdAt, updated_at: updatedAt } = parsed.data;
  return {
    type: "metadata",
    metadata: {
      key,
      createdAtMs: decodeInstant(createdAt),
      updatedAtMs: decodeInstant(updatedAt),
      metadata: parsed.data.metadata,
      lastConsolidated: parsed.data.last_consolidated,
    },
  };
}

function encodeInstant(epochMs: number): string {
  const bounded = Math.min(EPOCH_MS_MAX, Math.max(-EPOCH_MS_MAX, Math.trunc(epochMs)));
  return new Date(bounded).toISOString();
}

/** Instants without a zone are local time, as nanobot writes them. */
function decodeInstant(value: unknown): number | null {
  if (typeof value !== "string") return null;
  const epochMs = Date.parse(value);
  return Number.isNaN(epochMs) ? null : epochMs;
}
