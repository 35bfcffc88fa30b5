/**
 * Texts of several lines where there is room for one.
 * @module
 */

/** The lines of `text` beside each other. A run of blanks is looked at from its start alone. */
export function joinedLines(text: string): string {
  return text.replaceAll(/(?<!\s)\s*\n\s*/g, " ");
}
