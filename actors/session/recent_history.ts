/**
 * What the history file says since memory was last put in order.
 * @module
 */

import { getLogger } from "@logtape/logtape";
import { estimateTextTokens } from "../../providers/tokens.ts";
import { parseEntry, readCursor } from "../memory/history_file.ts";
import type { HistoryEntry } from "../memory/protocol.ts";

const logger = getLogger(["troupe", "session", "recent_history"]);

/** Bytes of the file's end that hold what is shown: however long it is, it costs the same. */
export const RECENT_BYTES_MAX: number = 512 * 1024;

const ENTRIES_MAX = 50;
/** Characters of one entry: a raw dump must not fill the window. */
const ENTRY_CHARS_MAX = 2_000;
/** Tokens of all of them: some 30,000 characters of English, or 8,000 of Chinese. */
const TOTAL_TOKENS_MAX = 7_500;
const LINE_END = /\r\n|[\r\n\v\f\u0085\u2028\u2029]/g;

/**
 * The prompt part with the newest entries of `memory/history.jsonl` after Dream's cursor; "" when
 * there are none. Lines that are no entries are skipped.
 *
 * @param cursorText content of `memory/.dream_cursor`; anything but a number counts as 0
 */
export function recentHistory(text: string, cursorText: string): string {
  const cursor = readCursor(cursorText);
  const entries = newestEntries(text, cursor);
  if (entries.length === 0) return "";
  const shown: string[] = [];
  let tokensLeft = TOTAL_TOKENS_MAX;
  for (const entry of entries) {
    const line = entryLine(entry);
    tokensLeft -= estimateTextTokens(line);
    if (tokensLeft < 0) {
      shown.push(`- [${entries.length - shown.length} older entries left out: too long]`);
      break;
    }
    shown.push(line);
  }
  return `# Recent History\n\n${shown.toReversed().join("\n")}`;
}

/** Newest first. Reads from the end, and only as far as it must. */
function newestEntries(text: string, cursor: number): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  let skipped = 0;
  let end = text.length;
  while (end > 0 && entries.length < ENTRIES_MAX) {
    const start = text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(start, end);
    end = start - 1;
    if (line.trim() === "") continue;
    const entry = parseEntry(line);
    if (entry === null) skipped++;
    else if (entry.cursor > cursor && entry.content.trim() !== "") entries.push(entry);
  }
  if (skipped > 0) logger.warn("Skipped {skipped} lines of memory/history.jsonl", { skipped });
  return entries;
}

function entryLine({ timestamp, content }: HistoryEntry): string {
  const isLong = content.length > ENTRY_CHARS_MAX;
  const text = isLong
    ? `${content.slice(0, ENTRY_CHARS_MAX).toWellFormed()} [… ${
      content.length - ENTRY_CHARS_MAX
    } characters more]`
    : content;
  // A line that began at the margin could pass for another part of the prompt.
  return `- [${timestamp}] ${text.trim().replaceAll(LINE_END, "\n  ")}`;
}
