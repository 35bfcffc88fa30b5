/**
 * The text of Word, Excel and PowerPoint documents (Office Open XML).
 * @module
 */

import { flowText } from "./flow_text.ts";
import { sheetText } from "./sheet_text.ts";
import { ZipParts } from "./zip_parts.ts";

/** Documents that are read. */
export type OfficeKind = "docx" | "xlsx" | "pptx";

/**
 * The lines of a document, at least until there are `charsMax` characters.
 *
 * @throws {DocumentError} for what is damaged, too big, or something else
 */
export function officeText(bytes: Uint8Array, kind: OfficeKind, charsMax: number): string[] {
  const parts = new ZipParts(bytes);
  switch (kind) {
    case "docx":
      return wordText(parts, charsMax);
    case "xlsx":
      return sheetText(parts, charsMax);
    case "pptx":
      return slideText(parts, charsMax);
  }
}

/** The body, then what stands on every page, once. */
function wordText(parts: ZipParts, charsMax: number): string[] {
  const lines = flowText(parts.text("word/document.xml") ?? "<none/>", charsMax);
  const margins = parts.names.filter((name) => /^word\/(header|footer)\d*\.xml$/.test(name));
  const repeated = margins.flatMap((name) => flowText(parts.text(name) ?? "<none/>", charsMax));
  if (repeated.length === 0) return lines;
  return [...lines, "", "--- Headers and footers ---", ...new Set(repeated)];
}

function slideText(parts: ZipParts, charsMax: number): string[] {
  const slides = parts.names
    .map((name) => ({ name, number: Number(/^ppt\/slides\/slide(\d+)\.xml$/.exec(name)?.[1]) }))
    .filter(({ number }) => !Number.isNaN(number))
    .toSorted((a, b) => a.number - b.number);
  const lines: string[] = [];
  let chars = 0;
  for (const { name, number } of slides) {
    if (chars > charsMax) break;
    const text = flowText(parts.text(name) ?? "<none/>", charsMax - chars);
    if (text.length === 0) continue;
    lines.push(...lines.length > 0 ? [""] : [], `--- Slide ${number} ---`, ...text);
    chars += text.reduce((sum, line) => sum + line.length + 1, 0);
  }
  return lines;
}
