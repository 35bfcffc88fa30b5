/**
 * What stands in a message's text for what is no text.
 * @module
 */

/** `[words: detail]`, or `[words]` without a detail. */
export function bracketed(words: string, detail: string): string {
  return detail.trim() === "" ? `[${words}]` : `[${words}: ${detail.trim()}]`;
}
