/**
 * Curly quotes: a replacement follows the style of what it replaces.
 * @module
 */

/** The text with quotes made curly where `model` has curly ones of that kind. */
export function withQuotesOf(model: string, text: string): string {
  let styled = text;
  if (/[\u201c\u201d]/.test(model)) {
    styled = styled.replaceAll(
      '"',
      (_quote, at: number) => opens(styled, at) ? "\u201c" : "\u201d",
    );
  }
  if (/[\u2018\u2019]/.test(model)) {
    styled = styled.replaceAll(
      "'",
      (_quote, at: number) => opens(styled, at) ? "\u2018" : "\u2019",
    );
  }
  return styled;
}

/** A quote opens at the start, after a blank and after an opening bracket. */
function opens(text: string, at: number): boolean {
  return at === 0 || /[\s([{\u2014\u2018\u201c-]/.test(text[at - 1] ?? "");
}
