/**
 * The platform's own markup as people see it.
 * @module
 */

/** A message as it looks. */
export interface Visible {
  /** Marks rendered away; code line by line. */
  readonly text: string;
  /** The blocks of code. */
  readonly code: readonly string[];
}

const FENCE = /^(?:> )?```([\w+#.-]*)\n([^]*?)\n?(?:> )?```$/gm;
const ESCAPED_OR_CODE = /\\([^\sA-Za-z0-9])|(``?)(?!`)(.+?)(?<!`)\2(?!`)/g;
/** Stand for what must not be read as a mark any more. */
const KEPT = 0xe000;

/** Reads the markup. */
export function visible(content: string): Visible {
  const code: string[] = [];
  const kept: string[] = [];
  const keep = (text: string): string => {
    kept.push(text);
    return String.fromCodePoint(KEPT + kept.length - 1);
  };
  const text = content.replace(FENCE, (_whole, _lang: string, block: string) => {
    code.push(block);
    return keep(block);
  }).replace(
    ESCAPED_OR_CODE,
    (_whole, sign: string | undefined, _ticks: string, inner: string) =>
      keep(sign ?? inner.replace(/^ | $/g, "")),
  )
    .replace(/https?:\/\/[^\s<)\]]+/g, keep);
  const plain = text.split("\n").map(visibleLine).join("\n")
    .replace(/\[([^\]\n]+)\]\(([^)\s]+)\)/g, "$1")
    .replace(/\*\*(?=\S)([^]+?)\*\*/g, "$1")
    .replace(/__(?=\S)([^]+?)__/g, "$1")
    .replace(/\*(?=[^\s*])([^]+?)\*/g, "$1")
    .replace(/\b_(?=\S)([^]+?)_\b/g, "$1")
    .replace(/~~(?=\S)([^]+?)~~/g, "$1")
    .replace(/\|\|(?=\S)([^]+?)\|\|/g, "███");
  const restored = plain.replace(
    /[\ue000-\uf8ff]/g,
    (sign) => kept[(sign.codePointAt(0) ?? 0) - KEPT] ?? "",
  );
  return { text: restored.trim(), code };
}

function visibleLine(line: string): string {
  return line.replace(/^(?:#{1,3}|-#) (?=\S)/, "").replace(/^>(?:>>)? /, "")
    .replace(/^(\s*)[-*] (?=\S)/, "$1• ");
}
