/**
 * What a session notes of its own calls beside the files it has read, so that a file is not shown
 * twice while the first time is still before the model's eyes.
 * @module
 */

/** Results of so many calls are surely still before the model's eyes. */
export const CALLS_REMEMBERED: number = 8;

/** No path begins so. */
const CALLS_KEY = "\0calls";

/** One more tool call of the session begins. */
export function countCall(reads: Map<string, string>): void {
  reads.set(CALLS_KEY, String(callsCounted(reads) + 1));
}

/**
 * What was shown may be before the model's eyes no more, as the conversation was shortened: it is
 * shown again when it is asked for. What was read stays known, for edits.
 */
export function forgetShown(reads: Map<string, string>): void {
  reads.set(CALLS_KEY, String(callsCounted(reads) + CALLS_REMEMBERED + 1));
}

/** How many there have been. */
export function callsCounted(reads: ReadonlyMap<string, string>): number {
  return Number(reads.get(CALLS_KEY) ?? 0);
}
