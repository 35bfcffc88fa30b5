/**
 * Blocks of Markdown in the platform's markup. A block that is too long is cut into complete ones.
 * @module
 */

import type { Tokens } from "marked";
import { joinedLines } from "../../joined_lines.ts";
import { largest } from "../../markdown/largest.ts";
import { known, type MarkdownToken } from "../../markdown/markdown.ts";
import type { Fits } from "../../markdown/runs.ts";
import { guardedLines, literal } from "./escape.ts";
import { cutInline, cutText, inlineText } from "./inline.ts";
import { tablePieces } from "./table.ts";

const RULE = "──────────";
const LANGUAGE = /^[A-Za-z0-9+#._-]{1,20}$/;

/** The block in pieces that fit, each complete; none for what is not shown. */
export function blockPieces(token: MarkdownToken, fits: Fits): readonly string[] {
  switch (token.type) {
    case "heading":
      return headingPieces(token, fits);
    case "code":
      return codePieces(token.text, token.lang ?? "", fits);
    case "blockquote":
      return known(token.tokens).flatMap((child) =>
        blockPieces(child, (text) => fits(quoted(text))).map(quoted)
      );
    case "list":
      return listPieces(token, fits);
    case "table":
      return tablePieces(token, fits, (code) => fenced(code, "")).flatMap((piece) =>
        fits(piece) ? [piece] : cutText([{ text: withoutFence(piece), marks: [] }], fits)
      );
    case "hr":
      return [RULE];
    case "html":
      return textPieces(token.raw.trim(), fits);
    case "def":
    case "space":
      return [];
    default: {
      const whole = inlineText([token]);
      return fits(whole) ? [whole] : cutInline([token], fits);
    }
  }
}

/** Text as it is, in pieces that fit. */
export function textPieces(text: string, fits: Fits): readonly string[] {
  const whole = guardedLines(literal(text));
  return fits(whole) ? [whole] : cutText([{ text: literal(text), marks: [] }], fits);
}

/** The platform knows three sizes; below that a title is bold. */
function headingPieces({ depth, tokens }: Tokens.Heading, fits: Fits): readonly string[] {
  const isSized = depth <= 3;
  const titled = (text: string): string => isSized ? `${"#".repeat(depth)} ${text}` : `**${text}**`;
  const line = (text: string): string => titled(joinedLines(text));
  const inner = isSized ? known(tokens) : withoutBold(known(tokens));
  const whole = line(inlineText(inner));
  return fits(whole) ? [whole] : cutInline(inner, (text) => fits(line(text))).map(line);
}

function withoutBold(tokens: readonly MarkdownToken[]): readonly MarkdownToken[] {
  return tokens.flatMap((token) => token.type === "strong" ? known(token.tokens) : [token]);
}

function codePieces(code: string, lang: string, fits: Fits): readonly string[] {
  const asCode = (lines: readonly string[]): string => fenced(lines.join("\n"), lang);
  const pieces: string[] = [];
  for (let lines: readonly string[] = code.split("\n"); lines.length > 0;) {
    const count = largest(lines.length, (many) => fits(asCode(lines.slice(0, many))));
    if (count > 0) {
      pieces.push(asCode(lines.slice(0, count)));
      lines = lines.slice(count);
      continue;
    }
    const characters = [...lines[0] ?? ""];
    const cut = (many: number): string => characters.slice(0, many).join("");
    const taken = Math.max(1, largest(characters.length, (many) => fits(asCode([cut(many)]))));
    pieces.push(asCode([cut(taken)]));
    lines = [characters.slice(taken).join(""), ...lines.slice(1)];
  }
  return pieces;
}

/** Three ticks inside would end it. */
function fenced(code: string, lang: string): string {
  const language = lang.split(/\s/)[0] ?? "";
  const shown = code.replace(/`{3,}/g, (ticks) => ticks.split("").join("\u200b"));
  return `\`\`\`${LANGUAGE.test(language) ? language : ""}\n${shown || " "}\n\`\`\``;
}

function withoutFence(code: string): string {
  return literal(code.replace(/^```\n|\n```$/g, ""));
}

function quoted(text: string): string {
  return text.split("\n").map((line) => `> ${line}`).join("\n");
}

/** As many items together as fit; one that does not fit alone is cut inside. */
function listPieces(list: Tokens.List, fits: Fits): readonly string[] {
  const pieces: string[] = [];
  const first = typeof list.start === "number" ? list.start : 1;
  for (const [index, item] of list.items.entries()) {
    const mark = list.ordered ? `${first + index}. ` : "- ";
    for (const piece of itemPieces(item, mark, fits)) {
      const joined = `${pieces.at(-1)}\n${piece}`;
      if (pieces.length > 0 && fits(joined)) pieces[pieces.length - 1] = joined;
      else pieces.push(piece);
    }
  }
  return pieces;
}

function itemPieces(item: Tokens.ListItem, mark: string, fits: Fits): readonly string[] {
  const indent = " ".repeat(mark.length);
  const pieces: string[] = [];
  let box = "";
  for (const token of known(item.tokens)) {
    if (token.type === "checkbox") {
      box = token.checked ? "☑ " : "☐ ";
      continue;
    }
    const lead = pieces.length === 0 ? mark + box : indent;
    // The lines of code stand as they are.
    const isCode = token.type === "code" || token.type === "table";
    const placed = (text: string): string =>
      isCode
        ? (pieces.length === 0 ? `${lead.trimEnd()}\n${text}` : text)
        : hung(text, lead, indent);
    pieces.push(
      ...blockPieces(token, (text) => fits(placed(text))).map((text, at) =>
        at === 0 ? placed(text) : isCode ? text : hung(text, indent, indent)
      ),
    );
  }
  return pieces.length === 0 ? [`${mark}${box}`.trimEnd()] : joinedPieces(pieces, fits);
}

function joinedPieces(pieces: readonly string[], fits: Fits): readonly string[] {
  const joined: string[] = [];
  for (const piece of pieces) {
    const together = `${joined.at(-1)}\n${piece}`;
    if (joined.length > 0 && fits(together)) joined[joined.length - 1] = together;
    else joined.push(piece);
  }
  return joined;
}

/** The first line behind `lead`, the others behind `indent`; fences stand at the margin. */
function hung(text: string, lead: string, indent: string): string {
  let isCode = false;
  return text.split("\n").map((line, at) => {
    const isFence = line.trimStart().startsWith("```");
    const isInside = isCode || isFence;
    if (isFence) isCode = !isCode;
    if (at === 0) return lead + line;
    return isInside ? line : indent + line;
  }).join("\n");
}
