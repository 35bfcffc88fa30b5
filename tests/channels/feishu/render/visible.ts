/**
 * What a person reads: of Markdown, and of the messages that show it. White space does not count.
 * @module
 */

import { Marked } from "marked";
import { z } from "zod";
import {
  known,
  type MarkdownToken,
  parseMarkdown,
} from "../../../../channels/markdown/markdown.ts";

/** The words of Markdown as our parser reads it, without white space. */
export function visibleText(markdown: string): string {
  return visible(parseMarkdown(markdown)).replace(/\s/g, "");
}

/** Cards are read as the standard says, without what our parser knows beyond it. */
const standard = new Marked({ gfm: true });

function cardText(markdown: string): string {
  return visible(known(standard.lexer(markdown))).replace(/\s/g, "");
}

const tableSchema = z.object({
  tag: z.literal("table"),
  columns: z.array(z.object({ name: z.string(), display_name: z.string(), data_type: z.string() })),
  rows: z.array(z.record(z.string(), z.string())),
});
const textSchema = z.object({ tag: z.literal("markdown"), content: z.string() });
const elementSchema = z.union([tableSchema, textSchema]);

/**
 * The words of cards' elements, in order, without white space. The head of a table that was cut
 * counts once.
 */
export function visibleElements(elements: readonly unknown[]): string {
  let text = "";
  let head = "";
  for (const element of elements.map((value) => elementSchema.parse(value))) {
    if (element.tag === "markdown") {
      text += cardText(element.content);
      head = "";
      continue;
    }
    const own = element.columns.map(({ display_name: name }) => name).join("");
    if (own !== head) text += own;
    head = own;
    for (const row of element.rows) {
      for (const { name, data_type: type } of element.columns) {
        const cell = row[name] ?? "";
        text += type === "markdown" ? cardText(cell) : cell;
      }
    }
  }
  return text.replace(/\s/g, "");
}

function visible(tokens: readonly MarkdownToken[]): string {
  return tokens.map(visibleToken).join("");
}

function visibleToken(token: MarkdownToken): string {
  switch (token.type) {
    case "code":
    case "codespan":
      return token.text;
    case "escape":
      return decoded(token.text);
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? "" : decoded(token.raw);
    case "br":
    case "hr":
    case "def":
    case "space":
      return "";
    case "checkbox":
      return token.checked ? "☑" : "☐";
    case "list":
      return visible(token.items);
    case "table":
      return [token.header, ...token.rows].flat().map(({ tokens }) => visible(known(tokens)))
        .join("");
    case "link":
      return visible(known(token.tokens)) + (token.href === token.text ? "" : fileOf(token.href));
    case "image":
      return decoded(token.text.trim() || "image") + fileOf(token.href);
    case "text":
      return token.tokens === undefined ? decoded(token.raw) : visible(known(token.tokens));
    default:
      return visible(known(token.tokens));
  }
}

/** What is neither on the web nor a picture of the platform's is named. */
function fileOf(href: string): string {
  return /^(?:$|https?:|mailto:|img_)/i.test(href) ? "" : `(${href})`;
}

function decoded(text: string): string {
  return text.replace(
    /&#(\d+);/g,
    (_whole, digits: string) => String.fromCodePoint(Number(digits)),
  );
}
