/**
 * A stretch of conversation on its way into memory: whose it is, what is to be kept of it, and the
 * note by which the next life of the process finishes what this one began.
 * @module
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { JsonObject, JsonValue } from "../kernel/json.ts";
import type { MemoryOrigin } from "../memory/scope.ts";
import { MemoryScope } from "../memory/scope.ts";
import { isForeign } from "../memory/recall/passages.ts";
import { isEcho, wordsOf } from "./chunk_text.ts";
import type { ArchivePort } from "./ports.ts";
import type { StoredMessage } from "./session_file.ts";

/** Field of a person's line: whose memory it belongs to, where that is not everybody's. */
const SCOPE_FIELD = "memory_scope";
/** Field of a person's line: an owner wrote it. */
const OWNER_FIELD = "from_owner";
const KEY_CHARS = 32;

/** Messages that belong to one memory. */
export interface ScopedMessages {
  readonly scope: MemoryScope;
  readonly messages: readonly StoredMessage[];
}

/** What is to be appended to a memory. */
export interface PendingEntry {
  /** Name of the memory; null is everybody's. */
  readonly scope: string | null;
  readonly key: string;
  readonly kind: "summary" | "raw";
  readonly content: string;
  /** Nobody but owners speaks through it. @default false */
  readonly isOwners?: boolean | undefined;
}

/** A chunk whose summary is made, and that may stand in no memory yet. */
export interface PendingChunk {
  /** The messages from one index up to another. */
  readonly from: number;
  readonly to: number;
  /** Tells these messages from any others that may stand there. */
  readonly chunk: string;
  readonly entries: readonly PendingEntry[];
  /** What the session itself goes on to know; null for nothing. */
  readonly summary: string | null;
  /** When the last of them was said, in epoch milliseconds; null when it is not known. */
  readonly untilMs: number | null;
}

const pendingSchema: z.ZodType<PendingChunk> = z.object({
  from: z.number().int(),
  to: z.number().int(),
  chunk: z.string(),
  entries: z.array(z.object({
    scope: z.string().nullable(),
    key: z.string(),
    kind: z.enum(["summary", "raw"]),
    content: z.string(),
    isOwners: z.boolean().optional(),
  })),
  summary: z.string().nullable(),
  untilMs: z.number().nullable(),
});

/** The journal's note about the chunk of a session that is pending. */
export function pendingNote(sessionKey: string): string {
  return `consolidation:${sessionKey}`;
}

/** Reads that note; null where nothing is pending. */
export function readPending(note: JsonValue): PendingChunk | null {
  return pendingSchema.safeParse(note).data ?? null;
}

/** The note's value. */
export function encodePending(pending: PendingChunk): JsonObject {
  const { entries, ...rest } = pending;
  return {
    ...rest,
    entries: entries.map(({ isOwners = false, ...entry }) => ({ ...entry, isOwners })),
  };
}

/** Names a stretch: the same messages of the same session always have the same name. */
export function chunkKey(
  sessionKey: string,
  scope: string | null,
  messages: readonly StoredMessage[],
): string {
  const hash = createHash("sha256").update(JSON.stringify([sessionKey, scope]));
  for (const { lineId, timestampMs, message } of messages) {
    // Lines of other programs have no ids; what they say tells them apart.
    hash.update(`\n${lineId ?? JSON.stringify([timestampMs, message])}`);
  }
  return hash.digest("hex").slice(0, KEY_CHARS);
}

/**
 * What goes into the line of somebody's message, so that it is known later whose memory it is and,
 * where that is everybody's, whether it is an owner's word.
 */
export function scopeFields(archive: ArchivePort | undefined, origin: MemoryOrigin): JsonObject {
  if (archive === undefined) return {};
  const scope = archive.scopeOf(origin);
  if (!scope.isGlobal) return { [SCOPE_FIELD]: scope.key };
  return archive.isOwner?.(origin) ? { [OWNER_FIELD]: true } : {};
}

/**
 * Whether nobody but owners speaks through messages: all people's are theirs, and there are no words
 * of pages, files or strangers in any that goes into a summary.
 */
export function isOfOwners(messages: readonly StoredMessage[]): boolean {
  const people = messages.filter(({ message }) => message.role === "user");
  return people.length > 0 && people.every(({ extras }) => extras[OWNER_FIELD] === true) &&
    messages.every(({ message }) => isEcho(message) || !isForeign({ text: wordsOf(message) }));
}

/**
 * The messages by whose memory they belong to, each with the answers to it. What tells nothing is
 * the session's, and so is what follows once several have spoken in one turn: it may be told from
 * the memory of any of them.
 *
 * @param earlier what stands before them, as a stretch may begin within a turn
 */
export function byScope(
  messages: readonly StoredMessage[],
  sessionScope: MemoryScope,
  earlier: readonly StoredMessage[] = [],
): readonly ScopedMessages[] {
  const groups = new Map<string, { scope: MemoryScope; messages: StoredMessage[] }>();
  const add = (scope: MemoryScope, stored: StoredMessage) => {
    const group = groups.get(scope.key) ?? { scope, messages: [] };
    groups.set(scope.key, group);
    group.messages.push(stored);
  };
  let answersTo = sessionScope;
  let turnId: string | null = null;
  const firstTurn = messages[0] === undefined ? null : turnOf(messages[0]);
  const before = firstTurn === null ? [] : earlier.filter((stored) => turnOf(stored) === firstTurn);
  for (const [index, stored] of [...before, ...messages].entries()) {
    const isWanted = index >= before.length;
    if (stored.message.role !== "user") {
      if (isWanted) add(answersTo, stored);
      continue;
    }
    const own = scopeOfLine(stored) ?? sessionScope;
    if (isWanted) add(own, stored);
    const turnBefore = turnId;
    turnId = turnOf(stored);
    const isSameTurn = turnId !== null && turnId === turnBefore;
    answersTo = isSameTurn && own.key !== answersTo.key ? sessionScope : own;
  }
  return [...groups.values()];
}

function turnOf({ lineId }: StoredMessage): string | null {
  const end = lineId?.lastIndexOf(":") ?? -1;
  return end === -1 ? null : lineId?.slice(0, end) ?? null;
}

const scopeName = z.templateLiteral([z.enum(["person", "chat", "session"]), ":", z.string()]);

/** The memory of a name that {@link scopeFields} or a note gave; null for any other text. */
export function scopeNamed(name: JsonValue | undefined): MemoryScope | null {
  const { data } = scopeName.safeParse(name);
  return data === undefined ? null : MemoryScope.named(data);
}

function scopeOfLine({ extras }: StoredMessage): MemoryScope | null {
  return scopeNamed(extras[SCOPE_FIELD]);
}
