/**
 * Blocks of Markdown in the spelling that cards understand: nested lists by four spaces, code in
 * closed fences, headings by number signs. A block that is too long is cut into complete ones.
 * @module
 */

import type { Tokens } from "marked";
import { entity, guardedStart, literalLines } from "./escape.ts";
import { type Fits, joinRuns } from "../../markdown/runs.ts";
import { cutRuns, type ImageKeys, runsOf } from "./inline.ts";
import { largest } from "../../markdown/largest.ts";
import { known, type MarkdownToken } from "../../markdown/markdown.ts";

/** How far what belongs to a list item stands in. */
const ITEM_INDENT = 4;

/** The block as a card's Markdown; "" for what is not shown. */
export function blockText(token: MarkdownToken, images: ImageKeys): string {
  switch (token.type) {
    case "heading":
      return headingText(token.depth, inlineText(token.tokens, images));
    case "code":
      return fenced(token.text, token.lang);
    case "blockquote":
      return quoted(joinBlocks(known(token.tokens), images));
    case "list":
      return listText(token, images);
    case "table":
      return tableText(token, token.rows, images);
    case "hr":
      return "---";
    case "html":
      return literalLines(token.raw.trim());
    case "def":
    case "space":
      return "";
    default:
      return tidyLines(joinRuns(runsOf([token], images)));
  }
}

/** The block as a card's Markdown, in pieces that fit and are each complete. */
export function cutBlock(token: MarkdownToken, images: ImageKeys, fits: Fits): readonly string[] {
  const whole = blockText(token, images);
  if (whole === "") return [];
  if (fits(whole)) return [whole];
  switch (token.type) {
    case "code":
      return cutCode(token.text, token.lang, fits);
    case "list":
      return cutList(token, images, fits);
    case "blockquote":
      return known(token.tokens).flatMap((child) =>
        cutBlock(child, images, (text) => fits(quoted(text))).map(quoted)
      );
    case "table":
      return cutRows(token, images, fits);
    case "heading": {
      const { depth, tokens } = token;
      const asHeading = (text: string): string => headingText(depth, text);
      return cutRuns(runsOf(known(tokens), images), (text) => fits(asHeading(text))).map(asHeading);
    }
    case "html":
      return cutRuns([{ text: whole, marks: [] }], fits);
    default:
      return cutRuns(runsOf([token], images), (text) => fits(tidyLines(text))).map(tidyLines);
  }
}

/** A cell's or heading's text as Markdown. */
export function inlineText(tokens: Inline, images: ImageKeys): string {
  return joinRuns(runsOf(known(tokens), images)).replace(/\s*\n\s*/g, " ").trim();
}

type Inline = Parameters<typeof known>[0];

/** A table as Markdown, with these of its rows. */
export function tableText(
  table: Tokens.Table,
  rows: Tokens.Table["rows"],
  images: ImageKeys,
): string {
  const rule = table.align.map((align) => RULES[align ?? "none"]);
  const lines = rows.map((row) => rowText(row, images));
  return [rowText(table.header, images), `| ${rule.join(" | ")} |`, ...lines].join("\n");
}

/** A line of a table. */
export function rowText(cells: readonly Tokens.TableCell[], images: ImageKeys): string {
  const line = `| ${cells.map(({ tokens }) => cellText(tokens, images)).join(" | ")} |`;
  return RULE.test(line) ? line.replace("-", entity) : line;
}

/** A row of dashes, which would begin a table of its own. */
const RULE = /^[ :|]*-[ :|-]*$/;

const RULES = { none: "---", left: ":---", center: ":---:", right: "---:" } as const;

function cellText(tokens: Inline, images: ImageKeys): string {
  return inlineText(tokens, images).replaceAll("|", "\\|");
}

function headingText(depth: number, text: string): string {
  return text === "" ? "" : `${"#".repeat(depth)} ${text.replace(/\s*\n\s*/g, " ")}`;
}

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
function tidyLines(text: string): string {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "")
    .map((line, index) => index > 0 && line.startsWith("|") ? entity("|") + line.slice(1) : line)
    .map(guardedStart).join("\n");
}

function joinBlocks(tokens: readonly MarkdownToken[], images: ImageKeys): string {
  let text = "";
  for (const token of tokens) {
    const block = blockText(token, images);
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

function itemText(item: Tokens.ListItem, marker: string, images: ImageKeys): string {
  return marked(marker, joinItem(item, images));
}

/** A task's box stands in front of its first block. */
function joinItem(item: Tokens.ListItem, images: ImageKeys): string {
  const tokens = known(item.tokens);
  const box = tokens[0]?.type === "checkbox" ? blockText(tokens[0], images) : "";
  const rest = joinBlocks(box === "" ? tokens : tokens.slice(1), images);
  return [box, rest].filter((text) => text !== "").join(" ");
}

function marked(marker: string, text: string): string {
  const indent = " ".repeat(Math.max(ITEM_INDENT, marker.length));
  const [first = "", ...rest] = text.split("\n");
  return [(marker + first).trimEnd(), ...rest.map((line) => line === "" ? "" : indent + line)]
    .join("\n");
}

function listText(list: Tokens.List, images: ImageKeys): string {
  return list.items.map((item, index) => itemText(item, markerOf(list, index), images)).join("\n");
}

/** Between items where that does; a long item gives its first block the marker. */
function cutList(list: Tokens.List, images: ImageKeys, fits: Fits): readonly string[] {
  const items = list.items.map((item, index) => ({
    item,
    marker: markerOf(list, index),
    text: itemText(item, markerOf(list, index), images),
  }));
  const pieces: string[] = [];
  for (let start = 0; start < items.length;) {
    const joined = (count: number): string =>
      items.slice(start, start + count).map(({ text }) => text).join("\n");
    const count = largest(items.length - start, (many) => fits(joined(many)));
    const first = items[start];
    if (count > 0) pieces.push(joined(count));
    else if (first !== undefined) pieces.push(...cutItem(first.item, first.marker, images, fits));
    start += Math.max(1, count);
  }
  return pieces;
}

function cutItem(
  item: Tokens.ListItem,
  marker: string,
  images: ImageKeys,
  fits: Fits,
): readonly string[] {
  const pieces = known(item.tokens).flatMap((child) =>
    cutBlock(child, images, (text) => fits(marked(marker, text)))
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
function cutRows(table: Tokens.Table, images: ImageKeys, fits: Fits): readonly string[] {
  const pieces: string[] = [];
  for (let rows = table.rows; rows.length > 0;) {
    const joined = (count: number): string => tableText(table, rows.slice(0, count), images);
    const count = largest(rows.length, (many) => fits(joined(many)));
    if (count > 0) pieces.push(joined(count));
    else pieces.push(...cutRuns(rowRuns(table, rows[0] ?? [], images), fits).map(tidyLines));
    rows = rows.slice(Math.max(1, count));
  }
  return pieces;
}

/** A row that no table of ours can hold, as a paragraph. */
export function rowRuns(
  table: Tokens.Table,
  row: readonly Tokens.TableCell[],
  images: ImageKeys,
): ReturnType<typeof runsOf> {
  return row.flatMap(({ tokens }, index) => {
    const head = runsOf(known(table.header[index]?.tokens), images);
    const cell = runsOf(known(tokens), images);
    const colon = head.length > 0 ? [{ text: ": ", marks: [] }] : [];
    return [...head, ...colon, ...cell, { text: "\n", marks: [] }];
  });
}
