/**
 * The places of a text that match, with the lines around them.
 * @module
 */

import type { LineTest } from "./line_pattern.ts";

const LINE_CHARS_MAX = 500;

/** Lines shown around a match. */
export interface Surroundings {
  readonly before: number;
  readonly after: number;
}

/** Numbers of the lines that match, from 0. */
export function matchingLines(lines: readonly string[], matches: LineTest): number[] {
  return lines.flatMap((line, index) => matches(line) ? [index] : []);
}

/** Blocks of `path:line`, then lines `> n| text` and around them `  n| text`, none of them twice. */
export function matchBlocks(
  path: string,
  lines: readonly string[],
  matching: readonly number[],
  { before, after }: Surroundings,
): string[] {
  const blocks: string[] = [];
  for (let at = 0; at < matching.length;) {
    const first = matching[at] ?? 0;
    let last = first;
    let next = at + 1;
    // Matches whose surroundings meet share a block.
    const isJoined = before + after > 0;
    while (
      isJoined && next < matching.length && (matching[next] ?? 0) - before <= last + after + 1
    ) {
      last = matching[next++] ?? last;
    }
    const hits = new Set(matching.slice(at, next));
    const from = Math.max(0, first - before);
    const shown = lines.slice(from, last + after + 1).map((line, index) => {
      const mark = hits.has(from + index) ? ">" : " ";
      return `${mark} ${from + index + 1}| ${cut(line)}`;
    });
    blocks.push([`${path}:${first + 1}`, ...shown].join("\n"));
    at = next;
  }
  return blocks;
}

function cut(line: string): string {
  if (line.length <= LINE_CHARS_MAX) return line;
  return `${line.slice(0, LINE_CHARS_MAX)}… (${line.length - LINE_CHARS_MAX} characters more)`;
}
