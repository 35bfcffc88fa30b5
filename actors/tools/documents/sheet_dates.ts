/**
 * Dates in spreadsheets: numbers that only their style makes a date.
 * @module
 */

import { readXml } from "./xml_reader.ts";

/** Formats every spreadsheet program knows for dates and times (ECMA-376, 18.8.30). */
const BUILT_IN = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);
/** Day 0 of the usual calendar, as epoch milliseconds: 30 December 1899. */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
/** Year 9999; what is beyond is no date. */
const DAY_MAX = 2_958_466;

/** Tells for the number of a cell's style whether it shows a date. */
export function dateStyles(xml: string | undefined): (style: number) => boolean {
  const custom = new Set<number>();
  const styles: boolean[] = [];
  let isInCells = false;
  readXml(xml ?? "<none/>", {
    open(name, attribute) {
      if (name === "numFmt" && isDateFormat(attribute("formatCode") ?? "")) {
        custom.add(Number(attribute("numFmtId")));
      } else if (name === "cellXfs") isInCells = true;
      else if (name === "xf" && isInCells) {
        const format = Number(attribute("numFmtId"));
        styles.push(BUILT_IN.has(format) || custom.has(format));
      }
    },
    close(name) {
      if (name === "cellXfs") isInCells = false;
    },
    text() {},
  });
  return (style) => styles[style] ?? false;
}

/** `2026-04-01`, or with a time where it has one; undefined for what is no date. */
export function cellDate(days: number): string | undefined {
  if (!(days >= 0 && days < DAY_MAX)) return undefined;
  const iso = new Date(Math.round(DAY_ZERO_MS + days * DAY_MS)).toISOString();
  if (days < 1) return iso.slice(11, 19);
  return Number.isInteger(days) ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

/** Letters of a date, outside of quoted words, colours and escapes. */
function isDateFormat(code: string): boolean {
  return /[ymdhs]/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, ""));
}
