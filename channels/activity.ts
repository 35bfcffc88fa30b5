/**
 * Running tools as lines of an answer that grows.
 * @module
 */

/**
 * Each hint as a line, behind `prefix`; none when nothing runs.
 *
 * @param activity hints separated by line ends or `, `, such as `read_file("a, b"), exec("ls")`
 */
export function activityLines(activity: string, prefix: string): readonly string[] {
  return activity.split("\n").flatMap(splitHints).map((hint) => hint.trim())
    .filter((hint) => hint !== "").map((hint) => `${prefix} ${hint}`.trim());
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
