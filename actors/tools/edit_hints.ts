/**
 * What helps a model whose edit did not find its place.
 * @module
 */

import { createTwoFilesPatch } from "diff";
import { nearestLines, straighten } from "./edit_match.ts";

/** Below this likeness the nearest place is no help. */
const LIKENESS_MIN = 0.5;
const DIFF_CHARS_MAX = 3_000;
/** Past so many changes two texts have nothing in common. */
const CHANGES_MAX = 400;

/** Why `wanted` is not in `text`, and what is there instead. Continues `Cannot edit "…": `. */
export function notFoundText(text: string, wanted: string): string {
  const base = "old_text does not stand in it";
  const hint = differenceHint(text, wanted);
  const nearest = nearestLines(text, wanted);
  if (nearest === undefined || nearest.likeness <= LIKENESS_MIN) {
    return hint === undefined ? `${base}. Read the file first` : `${base}. ${hint}`;
  }
  const percent = Math.round(nearest.likeness * 100);
  const where = `Nearest (${percent} % alike), from line ${nearest.line}:`;
  return [
    `${base}. ${where}`,
    difference(wanted, nearest.text),
    ...hint === undefined ? [] : [hint],
  ]
    .join("\n");
}

function differenceHint(text: string, wanted: string): string | undefined {
  if (text.includes(wanted.trimEnd())) return "It stands there but for the blanks at its end";
  if (text.toLowerCase().includes(wanted.toLowerCase())) return "Only upper and lower case differ";
  const bare = (all: string) => straighten(all).replaceAll(/\s+/g, " ").trim();
  const needle = bare(wanted);
  if (needle !== "" && bare(text).includes(needle)) return "Only blanks and line ends differ";
  return undefined;
}

function difference(wanted: string, found: string): string {
  const patch = createTwoFilesPatch("old_text", "file", `${wanted}\n`, `${found}\n`, "", "", {
    context: 2,
    maxEditLength: CHANGES_MAX,
  });
  if (patch === undefined) return found.slice(0, DIFF_CHARS_MAX);
  const lines = patch.split("\n").slice(1).join("\n").trimEnd();
  return lines.length <= DIFF_CHARS_MAX ? lines : `${lines.slice(0, DIFF_CHARS_MAX)}\n…`;
}
