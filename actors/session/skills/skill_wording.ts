/**
 * A skill's words on their way into the prompt: they may not pass for a part of it.
 * @module
 */

import { neutralise } from "../../tools/untrusted.ts";

/** A description says when to use a skill; a longer one says how, which belongs into its body. */
const LINE_CHARS_MAX = 500;
/** Headings below that of the skill itself. */
const LOWERED = "###";
const HEADING_LEVELS = 6;

/**
 * One plain line: no line ends, no control characters, nothing that reads as code or as a tag.
 * What is too long is cut.
 */
export function cleanLine(text: string): string {
  const line = neutralise(text.toWellFormed())
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll("`", "'")
    .replaceAll("<", "‹")
    .replaceAll(">", "›")
    .trim();
  const letters = [...line];
  return letters.length <= LINE_CHARS_MAX ? line : `${letters.slice(0, LINE_CHARS_MAX).join("")}…`;
}

/**
 * The instructions as a part of the prompt: headings stand below the skill's own, rules do not look
 * like the prompt's, open code ends, and `{baseDir}` is the folder.
 */
export function promptBody(body: string, folder: string): string {
  const lines: string[] = [];
  let fence = "";
  for (const line of neutralise(body.toWellFormed()).trim().split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence === "") {
      fence = mark;
      lines.push(mark === "" ? lowered(line) : line);
    } else {
      const isEnd = mark.startsWith(fence) && /^ {0,3}[`~]+\s*$/.test(line);
      if (isEnd) fence = "";
      lines.push(line);
    }
  }
  if (fence !== "") lines.push(fence);
  return lines.join("\n").replaceAll("{baseDir}", folder);
}

function lowered(line: string): string {
  if (/^ {0,3}(?:-[ \t]*){3,}$/.test(line) || /^ {0,3}={2,}[ \t]*$/.test(line)) return "* * *";
  return line.replace(
    /^ {0,3}(#{1,6})(?=\s|$)/,
    (_, marks: string) => `${marks}${LOWERED}`.slice(0, HEADING_LEVELS),
  );
}
