/**
 * The text of what flows: a Word document, a slide. Both call their paragraphs, runs and tables
 * by the same names (ECMA-376, parts 1 and 4).
 * @module
 */

import { readXml } from "./xml_reader.ts";

/** Elements whose content is shown elsewhere, or no more. */
const SKIPPED = new Set(["Fallback", "delText", "instrText", "del", "moveFrom"]);

/**
 * One line a paragraph, one a row of a table, cells apart by tabs; blank lines are left out.
 *
 * @param charsMax no more is read once that much is there
 * @throws {DocumentError} where the XML is damaged
 */
export function flowText(xml: string, charsMax: number): string[] {
  const lines: string[] = [];
  let chars = 0;
  /** Paragraphs that are open, the innermost last: a text box stands within one. */
  const open: string[] = [];
  let isText = false;
  let skipped = 0;
  /** Cells of the rows that are open, the innermost last. */
  const rows: string[][] = [];
  const write = (text: string) => {
    if (open.length > 0) open.push((open.pop() ?? "") + text);
  };
  const say = (line: string) => {
    const row = rows.at(-1);
    if (row !== undefined) {
      const last = row.length - 1;
      const before = row[last] ?? "";
      row[Math.max(last, 0)] = before === "" ? line : `${before} ${line}`;
    } else if (line.trim() !== "") {
      lines.push(line);
      chars += line.length + 1;
    }
  };
  readXml(xml, {
    open(name) {
      if (SKIPPED.has(name)) skipped++;
      if (skipped > 0) return;
      if (name === "t") isText = true;
      else if (name === "tab" || name === "ptab") write("\t");
      else if (name === "br" || name === "cr") write(rows.length > 0 ? " " : "\n");
      else if (name === "tr") rows.push([]);
      else if (name === "tc") rows.at(-1)?.push("");
      else if (name === "p") open.push("");
    },
    close(name) {
      if (SKIPPED.has(name)) skipped--;
      else if (skipped > 0) return;
      else if (name === "t") isText = false;
      else if (name === "p") say((open.pop() ?? "").trimEnd());
      else if (name === "tr") {
        const cells = rows.pop() ?? [];
        if (cells.some((cell) => cell !== "")) say(cells.join("\t"));
      }
    },
    text(text) {
      if (isText && skipped === 0) write(text);
    },
    isDone: () => chars > charsMax,
  });
  return lines;
}
