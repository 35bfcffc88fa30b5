/**
 * Running tools as lines of a growing card.
 * @module
 */

/** More would push the answer out of sight. */
const ACTIVITY_CHARS_MAX = 600;

/**
 * Each hint on a line of its own, behind `prefix`; "" when nothing runs.
 *
 * @param activity hints separated by line ends or `, `, such as `read_file("a, b"), exec("ls")`
 */
export function formatActivity(activity: string, prefix: string): string {
  const hints = activity.split("\n").flatMap(splitHints).map((hint) => hint.trim())
    .filter((hint) => hint !== "");
  const lines = hints.map((hint) => `${prefix} ${hint}`.trim());
  const text = lines.join("\n");
  return text.length <= ACTIVITY_CHARS_MAX ? text : `${text.slice(0, ACTIVITY_CHARS_MAX)}…`;
}

/** Splits at `, ` outside of parentheses and double quotes. */
function splitHints(line: string): readonly string[] {
  const hints: string[] = [];
  let start = 0;
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "\\") at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === "(") depth++;
    else if (character === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0 && line.startsWith(", ", at)) {
      hints.push(line.slice(start, at));
      start = at + 2;
    }
  }
  return [...hints, line.slice(start)];
}
