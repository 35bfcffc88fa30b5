/**
 * Blocks of Markdown in a platform's spelling: nested lists by four spaces, code in closed fences,
 * headings by number signs. A block that is too long is cut into complete ones.
 * @module
 */

import type { Tokens } from "marked";
import { joinedLines } from "../joined_lines.ts";
import { type Dialect, guardedStart, literalLines } from "./dialect.ts";
import { cutRuns, runsOf } from "./inline.ts";
import { largest } from "./largest.ts";
import { known, type MarkdownToken } from "./markdown.ts";
import { type Fits, joinRuns, type Run } from "./runs.ts";

/** How far what belongs to a list item stands in. */
const ITEM_INDENT = 4;

/** The block in the platform's Markdown; "" for what is not shown. */
export function blockText(token: MarkdownToken, dialect: Dialect): string {
  switch (token.type) {
    case "heading":
      return headingText(token.depth, inlineText(token.tokens, dialect), dialect);
    case "code":
      return fenced(token.text, token.lang);
    case "blockquote":
      return quoted(joinBlocks(known(token.tokens), dialect));
    case "list":
      return listText(token, dialect);
    case "table":
      return tableText(token, token.rows, dialect);
    case "hr":
      return "---";
    case "html":
      return literalLines(token.raw.trim(), dialect);
    case "def":
    case "space":
      return "";
    default:
      return tidyLines(joinRuns(runsOf([token], dialect)), dialect);
  }
}

/** The block in the platform's Markdown, in pieces that fit and are each complete. */
export function cutBlock(token: MarkdownToken, dialect: Dialect, fits: Fits): readonly string[] {
  const whole = blockText(token, dialect);
  if (whole === "") return [];
  if (fits(whole)) return [whole];
  switch (token.type) {
    case "code":
      return cutCode(token.text, token.lang, fits);
    case "list":
      return cutList(token, dialect, fits);
    case "blockquote":
      return known(token.tokens).flatMap((child) =>
        cutBlock(child, dialect, (text) => fits(quoted(text))).map(quoted)
      );
    case "table":
      return cutRows(token, dialect, fits);
    case "heading": {
      const { depth, tokens } = token;
      const asHeading = (text: string): string => headingText(depth, text, dialect);
      return cutRuns(runsOf(known(tokens), dialect), dialect, (text) => fits(asHeading(text))).map(
        asHeading,
      );
    }
    case "html":
      return cutRuns([{ text: whole, marks: [] }], dialect, fits);
    default:
      return cutParagraph(runsOf([token], dialect), dialect, fits);
  }
}

/** A cell's or heading's text as Markdown. */
export function inlineText(tokens: Inline, dialect: Dialect): string {
  return joinedLines(joinRuns(runsOf(known(tokens), dialect))).trim();
}

type Inline = Parameters<typeof known>[0];

/** A table as Markdown, with these of its rows. */
export function tableText(
  table: Tokens.Table,
  rows: Tokens.Table["rows"],
  dialect: Dialect,
): string {
  const rule = table.align.map((align) => RULES[align ?? "none"]);
  const lines = rows.map((row) => rowText(row, dialect));
  return [rowText(table.header, dialect), `| ${rule.join(" | ")} |`, ...lines].join("\n");
}

/** A line of a table. */
export function rowText(cells: readonly Tokens.TableCell[], dialect: Dialect): string {
  const line = `| ${cells.map(({ tokens }) => cellText(tokens, dialect)).join(" | ")} |`;
  return RULE.test(line) ? line.replace("-", dialect.sign) : line;
}

/** A row of dashes, which would begin a table of its own. */
const RULE = /^[ :|]*-[ :|-]*$/;

const RULES = { none: "---", left: ":---", center: ":---:", right: "---:" } as const;

function cellText(tokens: Inline, dialect: Dialect): string {
  return inlineText(tokens, dialect).replaceAll("|", "\\|");
}

function headingText(depth: number, text: string, { sign }: Dialect): string {
  const line = joinedLines(text).replace(CLOSING, (marks) => marks.replace("#", sign));
  return line === "" ? "" : `${"#".repeat(depth)} ${line}`;
}

/** Number signs at a heading's end, which would not be shown. */
const CLOSING = /(?<=^|\s)#+$/;

function fenced(text: string, lang: string | undefined): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const language = (lang ?? "").trim().split(/[\s{`]/)[0] ?? "";
  return `${fence}${language}\n${text}\n${fence}`;
}

function quoted(text: string): string {
  return text.split("\n").map((line) => line === "" ? ">" : `> ${line}`).join("\n");
}

/** Lines of a paragraph: they do not stand in, and what begins one begins no block. */
function tidyLines(text: string, dialect: Dialect): string {
  const { sign, lineEnd } = dialect;
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "")
    .map((line, index) => index > 0 && line.startsWith("|") ? sign("|") + line.slice(1) : line)
    .map((line) => guardedStart(line, dialect)).join(lineEnd);
}

function cutParagraph(runs: readonly Run[], dialect: Dialect, fits: Fits): readonly string[] {
  const tidy = (text: string): string => tidyLines(text, dialect);
  return cutRuns(runs, dialect, (text) => fits(tidy(text))).map(tidy);
}

function joinBlocks(tokens: readonly MarkdownToken[], dialect: Dialect): string {
  let text = "";
  for (const token of tokens) {
    const block = blockText(token, dialect);
    if (block === "") continue;
    text += (text === "" ? "" : isTight(token) ? "\n" : "\n\n") + block;
  }
  return text;
}

/** May it follow a paragraph without a blank line, and still be what it is? */
export function isTight(token: MarkdownToken): boolean {
  if (token.type === "list") {
    const isEmpty = token.items[0]?.text.trim() === "";
    return !isEmpty && (!token.ordered || token.start === 1);
  }
  return token.type === "code";
}

function markerOf(list: Tokens.List, index: number): string {
  return list.ordered ? `${(list.start === "" ? 1 : list.start) + index}. ` : "- ";
}

function itemText(item: Tokens.ListItem, marker: string, dialect: Dialect): string {
  return marked(marker, joinItem(item, dialect));
}

/** A task's box stands in front of its first block. */
function joinItem(item: Tokens.ListItem, dialect: Dialect): string {
  const tokens = known(item.tokens);
  const box = tokens[0]?.type === "checkbox" ? blockText(tokens[0], dialect) : "";
  const rest = joinBlocks(box === "" ? tokens : tokens.slice(1), dialect);
  return [box, rest].filter((text) => text !== "").join(" ");
}

/** What begins a list or code: its first line must stand where its others do. */
const FIRM_START = /^(?:(?:[-*+]|\d{1,9}[.)]) |`{3})/;

function marked(marker: string, text: string): string {
  const indent = " ".repeat(Math.max(ITEM_INDENT, marker.length));
  const [first = "", ...rest] = text.split("\n");
  const lead = FIRM_START.test(text) ? marker.padEnd(indent.length) : marker;
  return [(lead + first).trimEnd(), ...rest.map((line) => line === "" ? "" : indent + line)]
    .join("\n");
}

function listText(list: Tokens.List, dialect: Dialect): string {
  return list.items.map((item, index) => itemText(item, markerOf(list, index), dialect)).join("\n");
}

/** Between items where that does; a long item gives its first block the marker. */
function cutList(list: Tokens.List, dialect: Dialect, fits: Fits): readonly string[] {
  const items = list.items.map((item, index) => ({
    item,
    marker: markerOf(list, index),
    text: itemText(item, markerOf(list, index), dialect),
  }));
  const pieces: string[] = [];
  for (let start = 0; start < items.length;) {
    const joined = (count: number): string =>
      items.slice(start, start + count).map(({ text }) => text).join("\n");
    const count = largest(items.length - start, (many) => fits(joined(many)));
    const first = items[start];
    if (count > 0) pieces.push(joined(count));
    else if (first !== undefined) pieces.push(...cutItem(first.item, first.marker, dialect, fits));
    start += Math.max(1, count);
  }
  return pieces;
}

function cutItem(
  item: Tokens.ListItem,
  marker: string,
  dialect: Dialect,
  fits: Fits,
): readonly string[] {
  const pieces = known(item.tokens).flatMap((child) =>
    cutBlock(child, dialect, (text) => fits(marked(marker, text)))
  );
  return pieces.map((piece, index) => index === 0 ? marked(marker, piece) : piece);
}

/** The fence is opened again, with its language, in each piece. */
function cutCode(text: string, lang: string | undefined, fits: Fits): readonly string[] {
  const pieces: string[] = [];
  for (let lines = text.split("\n"); lines.length > 0;) {
    const joined = (count: number): string => fenced(lines.slice(0, count).join("\n"), lang);
    const count = largest(lines.length, (many) => fits(joined(many)));
    if (count > 0) {
      pieces.push(joined(count));
      lines = lines.slice(count);
      continue;
    }
    const characters = [...lines[0] ?? ""];
    const cut = (many: number): string => characters.slice(0, many).join("");
    const taken = Math.max(1, largest(characters.length, (many) => fits(fenced(cut(many), lang))));
    pieces.push(fenced(cut(taken), lang));
    lines = [characters.slice(taken).join(""), ...lines.slice(1)];
    if (lines[0] === "") lines = lines.slice(1);
  }
  return pieces;
}

/** A table inside of something else: its head stands over each piece. */
function cutRows(table: Tokens.Table, dialect: Dialect, fits: Fits): readonly string[] {
  const pieces: string[] = [];
  for (let rows = table.rows; rows.length > 0;) {
    const joined = (count: number): string => tableText(table, rows.slice(0, count), dialect);
    const count = largest(rows.length, (many) => fits(joined(many)));
    if (count > 0) pieces.push(joined(count));
    else pieces.push(...cutParagraph(rowRuns(table, rows[0] ?? [], dialect), dialect, fits));
    rows = rows.slice(Math.max(1, count));
  }
  return pieces;
}

/** A row that no table of ours can hold, as a paragraph. */
export function rowRuns(
  table: Tokens.Table,
  row: readonly Tokens.TableCell[],
  dialect: Dialect,
): readonly Run[] {
  return row.flatMap(({ tokens }, index) => {
    const head = runsOf(known(table.header[index]?.tokens), dialect);
    const cell = runsOf(known(tokens), dialect);
    const colon = head.length > 0 ? [{ text: ": ", marks: [] }] : [];
    return [...head, ...colon, ...cell, { text: "\n", marks: [] }];
  });
}
