/**
 * Characters that would act in the platform's markup.
 * @module
 */

const WEB_ADDRESS = /https?:\/\/[^\s<]+/g;
const MARKS = /[\\*_~`|]/g;
/** Titles, small print, quotes, list items: marks only where a line begins. */
const LINE_MARK = /^([ \t]*)(#{1,3}(?=\s)|-#(?=\s)|>(?:>>)?(?=\s|$)|[-+](?=\s)|\d{1,9}(?=[.)]\s))/;

/** Text whose marks all stand for themselves; addresses stay what they are. */
export function literal(text: string): string {
  let escaped = "";
  let end = 0;
  for (const match of text.matchAll(WEB_ADDRESS)) {
    escaped += marksEscaped(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return escaped + marksEscaped(text.slice(end));
}

function marksEscaped(text: string): string {
  return text.replace(MARKS, "\\$&").replaceAll("](", "]\\(");
}

/** Text on one line or more, whose lines begin with no mark. */
export function guardedLines(text: string): string {
  return text.split("\n").map(guardedStart).join("\n");
}

/** A line, or a piece of one, that begins with no mark. */
export function guardedStart(line: string): string {
  return line.replace(
    LINE_MARK,
    (_whole, blank: string, mark: string) =>
      /^\d/.test(mark) ? `${blank}${mark}\\` : `${blank}\\${mark}`,
  );
}
