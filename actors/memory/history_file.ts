/**
 * The lines of a history file: reading what people or other programs may have changed, numbering,
 * and leaving out what is old.
 * @module
 */

import { z } from "zod";
import { visibleText } from "../../providers/visible_text.ts";
import { type Breathe, eachLine } from "../kernel/breathing.ts";
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
  told_by: z.literal("owners").optional().catch(undefined),
});

const FIELDS = z.record(z.string(), z.unknown());

/** A history file as it was read. */
export interface HistoryRead {
  /** In the order of the file. */
  readonly entries: readonly HistoryEntry[];
  /** Lines that are no entries. */
  readonly skipped: number;
}

/** Reads a history file; lines that are no entries are skipped and counted. */
export async function readHistory(text: string, breathe: Breathe): Promise<HistoryRead> {
  const entries: HistoryEntry[] = [];
  let skipped = 0;
  await eachLine(text, breathe, (line) => {
    const entry = parseEntry(line);
    if (entry === null) skipped++;
    else entries.push(entry);
  });
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

/** How entries get numbers of their own. */
export interface ApartOptions {
  /** Number of the last entry that Dream has digested; only those above it change. */
  readonly digested: number;
  readonly breathe: Breathe;
}

/** Whether a number stands twice; takes them in order. */
export function hasRepeats(entries: readonly HistoryEntry[]): boolean {
  return entries.some(({ cursor }, index) => cursor === entries[index - 1]?.cursor);
}

/**
 * The file with a number of its own for each entry above `digested`, in the order that they have:
 * the later of two with one number, and whatever it runs into then, counts up. No number falls, as
 * an entry that fell to one that Dream is just digesting would be lost.
 */
export async function numberApart(
  text: string,
  { digested, breathe }: ApartOptions,
): Promise<string> {
  const waiting: { readonly cursor: number; readonly at: number }[] = [];
  let count = 0;
  await eachLine(text, breathe, (line) => {
    const cursor = parseEntry(line)?.cursor ?? digested;
    if (cursor > digested) waiting.push({ cursor, at: count });
    count++;
  });
  const changed = new Map<number, number>();
  let last = digested;
  for (const { cursor, at } of waiting.toSorted((one, other) => one.cursor - other.cursor)) {
    last = Math.min(Math.max(cursor, last + 1), CURSOR_MAX); // nobody would read one above it
    if (last !== cursor) changed.set(at, last);
  }
  const lines: string[] = [];
  await eachLine(text, breathe, (line) => {
    const cursor = changed.get(lines.length);
    lines.push(cursor === undefined ? line : withNumber(line, cursor));
  });
  return joined(lines, text);
}

/** Keeps fields that we do not know. */
function withNumber(line: string, cursor: number): string {
  const fields = FIELDS.parse(JSON.parse(withoutByteOrderMark(line)));
  return JSON.stringify({ ...fields, cursor });
}

/** How a history is made shorter. */
export interface CompactOptions {
  /** Number of the last entry that Dream has digested; those above it stay. */
  readonly digested: number;
  /** Entries that stay; 0 or less keeps all. @default {@link ENTRIES_KEPT} */
  readonly kept?: number;
  readonly breathe: Breathe;
}

/**
 * The file without its oldest entries. Lines that are no entries stay as well: somebody may want
 * to mend them.
 */
export async function compactHistory(
  text: string,
  { digested, kept = ENTRIES_KEPT, breathe }: CompactOptions,
): Promise<string> {
  const { entries } = await readHistory(text, breathe);
  let surplus = kept <= 0 ? 0 : entries.length - kept;
  if (surplus <= 0 || entries.every(({ cursor }) => cursor > digested)) return text;
  const lines: string[] = [];
  await eachLine(text, breathe, (line) => {
    const entry = surplus > 0 ? parseEntry(line) : null;
    if (entry === null || entry.cursor > digested) lines.push(line);
    else surplus--;
  });
  return joined(lines, text);
}

/** Lines as a text that ends as `former` does. */
function joined(lines: readonly string[], former: string): string {
  const end = former.endsWith("\n") ? "\n" : "";
  return lines.join("\n") + (lines.length > 0 ? end : "");
}

/** The text, or its beginning with a note of what was left out. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const note = ` [… ${text.length - charsMax} characters left out]`;
  return text.slice(0, charsMax - note.length).toWellFormed() + note;
}
