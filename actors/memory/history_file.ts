/**
 * The lines of a history file: reading what people or other programs may have changed, numbering,
 * and leaving out what is old.
 * @module
 */

import { z } from "zod";
import { visibleText } from "../../providers/visible_text.ts";
import { withoutByteOrderMark } from "../kernel/byte_order_mark.ts";
import type { HistoryEntry, NewHistoryEntry } from "./protocol.ts";

/** Entries that stay after Dream has digested them. */
export const ENTRIES_KEPT = 1_000;

/** Characters of an entry by its kind; a dump of messages must not fill the prompt. */
const CHARS_MAX = { summary: 8_000, raw: 16_000 } as const;

/** What models say when there is nothing worth keeping. */
const NOTHING = /^[([（【]?\s*(?:nothing|none|无)\s*[)\]）】]?[.。]?$/iu;

const OPTIONAL_TEXT = z.string().optional().catch(undefined);

/** Far below where numbers stop being exact: one by hand must leave room for those after it. */
const CURSOR_MAX = 1e15;

const ENTRY: z.ZodType<HistoryEntry> = z.object({
  cursor: z.int().max(CURSOR_MAX),
  timestamp: z.string(),
  content: z.string(),
  session_key: OPTIONAL_TEXT,
  id: OPTIONAL_TEXT,
});

/** A history file as it was read. */
export interface HistoryRead {
  /** In the order of the file. */
  readonly entries: readonly HistoryEntry[];
  /** Lines that are no entries. */
  readonly skipped: number;
}

/** Reads a history file; lines that are no entries are skipped and counted. */
export function readHistory(text: string): HistoryRead {
  const entries: HistoryEntry[] = [];
  let skipped = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const entry = parseEntry(line);
    if (entry === null) skipped++;
    else entries.push(entry);
  }
  return { entries, skipped };
}

/** One line as an entry; null when it is none. */
export function parseEntry(line: string): HistoryEntry | null {
  try {
    return ENTRY.safeParse(JSON.parse(withoutByteOrderMark(line))).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The number in a cursor file; 0 for anything that is none. */
export function readCursor(text: string | null): number {
  const trimmed = text?.trim() ?? "";
  if (!/^\d+$/.test(trimmed)) return 0;
  const cursor = Number(trimmed);
  return cursor <= CURSOR_MAX ? cursor : 0;
}

/** The number for the next entry: above all that are known. */
export function nextCursor(
  entries: readonly HistoryEntry[],
  ...known: readonly number[]
): number {
  const highest = entries.reduce((max, { cursor }) => Math.max(max, cursor), 0);
  return Math.max(highest, ...known) + 1;
}

/** The entries after `cursor`, oldest number first. */
export function entriesAfter(
  entries: readonly HistoryEntry[],
  cursor: number,
): readonly HistoryEntry[] {
  return entries.filter((entry) => entry.cursor > cursor)
    .toSorted((one, other) => one.cursor - other.cursor);
}

/**
 * The text of a new entry: without reasoning, and not too long. Null when there is nothing to
 * keep. Text that was nothing but reasoning leaves an empty entry, so that it is not tried again.
 */
export function historyContent({ content, kind }: Omit<NewHistoryEntry, "key">): string | null {
  if (content.trim() === "") return null;
  const visible = visibleText(content);
  return NOTHING.test(visible) ? null : cut(visible, CHARS_MAX[kind]);
}

/** An entry as a line, with its line end. */
export function historyLine(entry: HistoryEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/**
 * The file without its oldest entries: `kept` stay, and all above `digested`. Lines that are no
 * entries stay as well: somebody may want to mend them.
 *
 * @param kept 0 or less keeps all
 */
export function compactHistory(
  text: string,
  digested: number,
  kept: number = ENTRIES_KEPT,
): string {
  const { entries } = readHistory(text);
  let surplus = kept <= 0 ? 0 : entries.length - kept;
  if (surplus <= 0) return text;
  const lines = text.split("\n").filter((line) => {
    if (surplus <= 0) return true;
    const entry = parseEntry(line);
    if (entry === null || entry.cursor > digested) return true;
    surplus--;
    return false;
  });
  return lines.join("\n");
}

/** The text, or its beginning with a note of what was left out. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const note = ` [… ${text.length - charsMax} characters left out]`;
  return text.slice(0, charsMax - note.length).toWellFormed() + note;
}
