/**
 * The way to a key, and how people read it.
 * @module
 */

/** Keys and list positions from the root. */
export type KeyPath = readonly (string | number)[];

/** Longest part of a path that is shown whole. */
const PART_LENGTH_MAX = 60;

/** The path as people write it: `tools.mcpServers.files.args[1]`. Always one line. */
export function showPath(path: KeyPath): string {
  let shown = "";
  for (const part of path) {
    if (typeof part === "number") shown += `[${part}]`;
    else if (/^[\w-]+$/.test(part)) shown += (shown === "" ? "" : ".") + shorten(part);
    else shown += `[${quote(shorten(part))}]`;
  }
  return shown;
}

/** Text in quotes, with everything that could break the line escaped. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Whether `path` is `start` or lies below it. */
export function isWithin(path: KeyPath, start: KeyPath): boolean {
  return start.every((part, index) => path[index] === part);
}

function shorten(part: string): string {
  return part.length > PART_LENGTH_MAX ? `${part.slice(0, PART_LENGTH_MAX)}…` : part;
}
