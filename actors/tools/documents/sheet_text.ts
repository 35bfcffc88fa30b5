/**
 * The text of spreadsheets: each sheet's rows with their computed values, cells apart by tabs.
 * @module
 */

import { cellDate, dateStyles } from "./sheet_dates.ts";
import { readXml } from "./xml_reader.ts";
import type { ZipParts } from "./zip_parts.ts";

/** Columns of a row that are shown; a stray cell far to the right must not make a mile of tabs. */
const COLUMNS_MAX = 256;
const LETTERS = 26;
const A = 65;

/**
 * Sheets in the order of the workbook, each under its header.
 *
 * @param charsMax no more is read once that much is there
 * @throws {DocumentError} for what is damaged
 */
export function sheetText(parts: ZipParts, charsMax: number): string[] {
  const strings = sharedStrings(parts.text("xl/sharedStrings.xml"));
  const isDate = dateStyles(parts.text("xl/styles.xml"));
  const lines: string[] = [];
  let chars = 0;
  for (const { name, path } of sheets(parts)) {
    if (chars > charsMax) break;
    const xml = parts.text(path);
    const rows = xml === undefined
      ? []
      : sheetRows(xml, { strings, isDate, charsMax: charsMax - chars });
    if (rows.length === 0) continue;
    lines.push(...lines.length > 0 ? [""] : [], `--- Sheet: ${name} ---`, ...rows);
    chars += rows.reduce((sum, row) => sum + row.length + 1, 0);
  }
  return lines;
}

/** Names of the sheets and the parts they are in. */
function sheets(parts: ZipParts): { readonly name: string; readonly path: string }[] {
  const targets = new Map<string, string>();
  readXml(parts.text("xl/_rels/workbook.xml.rels") ?? "<none/>", {
    open(_name, attribute) {
      const id = attribute("Id");
      const target = attribute("Target");
      if (id !== undefined && target !== undefined) targets.set(id, target);
    },
    close() {},
    text() {},
  });
  const found: { name: string; path: string }[] = [];
  readXml(parts.text("xl/workbook.xml") ?? "<none/>", {
    open(element, attribute) {
      if (element !== "sheet") return;
      const target = targets.get(attribute("id") ?? "");
      if (target === undefined) return;
      const path = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
      found.push({ name: attribute("name") ?? "", path });
    },
    close() {},
    text() {},
  });
  return found;
}

/** Texts that cells point to by their number; hints of how to speak them are left out. */
function sharedStrings(xml: string | undefined): string[] {
  const strings: string[] = [];
  let current = "";
  let isText = false;
  let isPhonetic = false;
  readXml(xml ?? "<none/>", {
    open(name) {
      if (name === "si") current = "";
      else if (name === "rPh") isPhonetic = true;
      else if (name === "t") isText = !isPhonetic;
    },
    close(name) {
      if (name === "si") strings.push(current);
      else if (name === "rPh") isPhonetic = false;
      else if (name === "t") isText = false;
    },
    text(text) {
      if (isText) current += text;
    },
  });
  return strings;
}

interface SheetOptions {
  readonly strings: readonly string[];
  readonly isDate: (style: number) => boolean;
  readonly charsMax: number;
}

function sheetRows(xml: string, { strings, isDate, charsMax }: SheetOptions): string[] {
  const rows: string[] = [];
  let chars = 0;
  let row: string[] = [];
  let cell = { column: 0, type: "n", style: 0, value: "" };
  let isValue = false;
  readXml(xml, {
    open(name, attribute) {
      if (name === "row") row = [];
      else if (name === "c") {
        const column = columnOf(attribute("r")) ?? row.length;
        cell = { column, type: attribute("t") ?? "n", style: Number(attribute("s")), value: "" };
      } else if (name === "v" || name === "t") isValue = true;
    },
    close(name) {
      if (name === "v" || name === "t") isValue = false;
      else if (name === "c" && cell.column < COLUMNS_MAX) {
        row[cell.column] = shown(cell, strings, isDate);
      } else if (name === "row") {
        const line = Array.from(row, (value) => value ?? "").join("\t").trimEnd();
        if (line.trim() === "") return;
        rows.push(line);
        chars += line.length + 1;
      }
    },
    text(text) {
      if (isValue) cell.value += text;
    },
    isDone: () => chars > charsMax,
  });
  return rows;
}

function shown(
  { type, style, value }: { readonly type: string; readonly style: number; readonly value: string },
  strings: readonly string[],
  isDate: (style: number) => boolean,
): string {
  const plain = value.replaceAll(/[\t\r\n]+/g, " ");
  switch (type) {
    case "s":
      return (strings[Number(value)] ?? "").replaceAll(/[\t\r\n]+/g, " ");
    case "b":
      return value === "1" ? "TRUE" : "FALSE";
    case "n":
      return plain !== "" && isDate(style) ? cellDate(Number(plain)) ?? plain : plain;
    default:
      return plain;
  }
}

/** `B2` is in column 1. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? "")?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * LETTERS + letter.charCodeAt(0) - A + 1, 0) - 1;
}
