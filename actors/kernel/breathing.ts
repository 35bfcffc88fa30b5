/**
 * Long work that is done a little at a time, so that the rest of its thread goes on meanwhile.
 * @module
 */

/** Resolves at the event loop's next turn, after all that waited for this one. */
export type Breathe = () => Promise<void>;

/** Items that are worked through without a breath: some milliseconds of parsing. */
const ITEMS_PER_BREATH = 250;
/** The same in characters of text, as some lines are long. */
const CHARS_PER_BREATH = 128 * 1024;

/** Makes it from the event loop's own call. */
export function breather(defer: (callback: () => void) => void): Breathe {
  return () => new Promise((resolve) => defer(resolve));
}

/** For worlds in which nothing else waits. */
export function neverBreathe(): Promise<void> {
  return Promise.resolve();
}

/**
 * Calls `work` with each line of a text that is not blank, without its line end, and breathes now
 * and then.
 */
export async function eachLine(
  text: string,
  breathe: Breathe,
  work: (line: string) => void,
): Promise<void> {
  let breathedAt = 0;
  let lines = 0;
  for (let start = 0; start < text.length;) {
    const next = text.indexOf("\n", start);
    const end = next === -1 ? text.length : next;
    const line = text.slice(start, end);
    if (line.trim() !== "") work(line);
    start = end + 1;
    if (++lines < ITEMS_PER_BREATH && start - breathedAt < CHARS_PER_BREATH) continue;
    await breathe();
    [lines, breathedAt] = [0, start];
  }
}
