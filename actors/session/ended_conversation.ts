/**
 * What a conversation leaves behind when it begins anew: the part that was not summed up yet waits
 * in a file beside the session's until it is archived.
 * @module
 */

import type { HistoryLine, Journal } from "../journal/journal.ts";
import { chunkKey, type PendingChunk } from "./archived_chunk.ts";
import {
  encodeMetadataLine,
  parseMessageLine,
  parseSessionFile,
  splitSessionText,
  type StoredMessage,
} from "./session_file.ts";

/** Behind the name of the session's file. */
const ENDED_EXTENSION = ".ended";
/** Before the session's key. */
const NOTE_PREFIX = "ended:";

/** The file beside a session's in which ended conversations wait. */
export function endedFileName(sessionFile: string): string {
  return sessionFile + ENDED_EXTENSION;
}

/** The journal's note that a session has such a file. */
export function endedNote(sessionKey: string): string {
  return NOTE_PREFIX + sessionKey;
}

/** The sessions that have such a note. @throws {JournalError} */
export async function endedSessions(
  journal: Pick<Journal, "noteKeys">,
): Promise<readonly string[]> {
  const keys = await journal.noteKeys(NOTE_PREFIX);
  return keys.map((key) => key.slice(NOTE_PREFIX.length));
}

/** A conversation that ends. */
export interface Ending {
  readonly key: string;
  /** Its file, as it stands. */
  readonly text: string;
  /** Lines that the journal has and the file may not. */
  readonly unfiled: readonly HistoryLine[];
  /** What was summed up, and may not be marked as such in the file. */
  readonly pending: PendingChunk | null;
}

/** What is to be kept of a conversation, behind a line that says whose it is; "" for nothing. */
export function endedText({ key, text, unfiled, pending }: Ending): string {
  const { lines, metadata } = splitSessionText(text);
  const { messages: filed, damaged } = sorted(lines);
  const present = new Set(filed.map(({ stored }) => stored.lineId));
  const missing = unfiled.filter(({ turnId, line }) => !present.has(`${turnId}:${line}`));
  const others = sorted(missing.map((line) => line.text));
  const messages = [...filed, ...others.messages];
  const from = Math.max(metadata?.lastConsolidated ?? 0, pendingEnd(key, messages, pending));
  const kept = messages.slice(from).map(({ line }) => line);
  const all = [...kept, ...damaged, ...others.damaged];
  if (all.length === 0) return "";
  const head = encodeMetadataLine({
    key,
    createdAtMs: metadata?.createdAtMs ?? null,
    updatedAtMs: metadata?.updatedAtMs ?? null,
    metadata: {},
    lastConsolidated: 0,
  });
  return [head, ...all].map((line) => `${line}\n`).join("");
}

/**
 * The conversations in such a file, each on its own: they are archived as they ended. A line that
 * was written twice, as the first time was cut short, counts once.
 */
export function endedConversations(text: string): readonly (readonly StoredMessage[])[] {
  const seen = new Set<string>();
  return text.split(/^(?=\{"_type":"metadata")/m)
    .map((part) => parseSessionFile(part).messages)
    .toReversed()
    .map((messages) => messages.toReversed().filter(({ lineId }) => isNew(lineId, seen)))
    .map((messages) => messages.toReversed())
    .filter((messages) => messages.length > 0)
    .toReversed();
}

/** Lines of such a file that cannot be read, as they stand. */
export function damagedLines(text: string): readonly string[] {
  return parseSessionFile(text).damaged;
}

function isNew(lineId: string | null, seen: Set<string>): boolean {
  if (lineId === null) return true;
  const isKnown = seen.has(lineId);
  seen.add(lineId);
  return !isKnown;
}

/** A message with the line that it stands in. */
interface MessageLine {
  readonly line: string;
  readonly stored: StoredMessage;
}

/** Damaged lines apart, as they are when a conversation is loaded: its messages are counted so. */
function sorted(
  lines: readonly string[],
): { readonly messages: readonly MessageLine[]; readonly damaged: readonly string[] } {
  const messages: MessageLine[] = [];
  const damaged: string[] = [];
  for (const line of lines) {
    const stored = parseMessageLine(line);
    if (stored === null) damaged.push(line);
    else messages.push({ line, stored });
  }
  return { messages, damaged };
}

function pendingEnd(
  key: string,
  messages: readonly MessageLine[],
  pending: PendingChunk | null,
): number {
  if (pending === null) return 0;
  const { from, to, chunk } = pending;
  const there = messages.slice(from, to).map(({ stored }) => stored);
  return chunkKey(key, null, there) === chunk ? to : 0;
}
