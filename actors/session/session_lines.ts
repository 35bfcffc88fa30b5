/**
 * Where messages of an awake conversation stand in its file, in which people may have added or
 * removed lines meanwhile.
 * @module
 */

import { parseMessageLine, type StoredMessage } from "./session_file.ts";

/**
 * How many leading lines of a file the first `count` messages take up: those up to the last of them
 * that is still there.
 *
 * @param lines of messages, as {splitSessionText} gives them
 */
export function linesUpTo(
  count: number,
  messages: readonly StoredMessage[],
  lines: readonly string[],
): number {
  if (count <= 0) return 0;
  if (isAt(count - 1, messages, lines)) return count;
  const places = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const stored = parseMessageLine(line);
    if (stored !== null) places.set(nameOf(stored), index);
  }
  for (const stored of messages.slice(0, count).toReversed()) {
    const index = places.get(nameOf(stored));
    if (index !== undefined) return index + 1;
  }
  return 0;
}

function isAt(index: number, messages: readonly StoredMessage[], lines: readonly string[]) {
  const [stored, line] = [messages[index], lines[index]];
  const there = line === undefined ? null : parseMessageLine(line);
  return stored !== undefined && there !== null && nameOf(there) === nameOf(stored);
}

/** Lines of other programs have no ids; what they say tells them apart. */
function nameOf({ lineId, timestampMs, message }: StoredMessage): string {
  return lineId ?? JSON.stringify([timestampMs, message]);
}
