/**
 * Markdown as blocks of styled text: paragraphs, lists, code, tables.
 * @module
 */

import { known, type MarkdownToken, parseMarkdown } from "../../markdown/markdown.ts";
import { inlineText } from "./inline.ts";
import { joined, type Mark, marked, plain, sliced, type StyledText } from "./styled.ts";
import { tableLines } from "./table.ts";

/** A block, and where it may be cut: between words, or only between lines. */
export interface Block {
  readonly content: StyledText;
  readonly cut: "words" | "lines";
}

const RULE = "———";
const INDENT = "  ";
/** Names of languages that Telegram takes. */
const LANGUAGE = /^[\w#+.-]{1,32}/;

/** The blocks of a text, in order, none of them blank. */
export function blocksOf(markdown: string): readonly Block[] {
  return blocks(parseMarkdown(markdown));
}

function blocks(tokens: readonly MarkdownToken[]): readonly Block[] {
  return tokens.flatMap((token) => blockOf(token))
    .filter(({ content }) => content.text.trim() !== "");
}

function blockOf(token: MarkdownToken): readonly Block[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return [words(marked({ type: "bold" }, inlineText(known(token.tokens))))];
    case "code": {
      const language = LANGUAGE.exec(token.lang ?? "")?.[0];
      return [lines({ type: "pre", ...(language !== undefined && { language }) }, token.text)];
    }
    case "table":
      return [lines({ type: "pre" }, tableLines(token).join("\n"))];
    case "blockquote":
      return [words(marked({ type: "blockquote" }, stacked(blocks(known(token.tokens)))))];
    case "list":
      return [words(listText(token))];
    case "hr":
      return [words(plain(RULE))];
    case "html":
      return [words(plain(token.raw.trim()))];
    default: {
      const children = "tokens" in token ? known(token.tokens) : [];
      return [words(inlineText(children.length > 0 ? children : [token]))];
    }
  }
}

function words(content: StyledText): Block {
  return { content, cut: "words" };
}

function lines(mark: Mark, text: string): Block {
  return { content: marked(mark, plain(text)), cut: "lines" };
}

function stacked(content: readonly Block[]): StyledText {
  return joined(content.map((block) => block.content), "\n\n");
}

function listText(list: Extract<MarkdownToken, { readonly type: "list" }>): StyledText {
  const first = typeof list.start === "number" ? list.start : 1;
  return joined(
    list.items.map((item, index) => {
      const bullet = list.ordered ? `${first + index}. ` : item.task ? "" : "• ";
      const box = item.task ? item.checked ? "☑ " : "☐ " : "";
      const inner = known(item.tokens).filter(({ type }) => type !== "checkbox");
      return itemText(bullet + box, blocks(inner));
    }),
    "\n",
  );
}

/** What follows an item's first block stands below it, further in. */
function itemText(bullet: string, [first, ...rest]: readonly Block[]): StyledText {
  const head = joined([plain(bullet), first?.content ?? plain("")]);
  return joined([head, ...rest.map(({ content }) => indented(content))], "\n");
}

/** Each line further in; code stays where it is. */
function indented(content: StyledText): StyledText {
  if (content.entities.some(({ type }) => type === "pre")) return content;
  const pieces: StyledText[] = [];
  let start = 0;
  for (const line of content.text.split("\n")) {
    pieces.push(joined([plain(INDENT), sliced(content, start, start + line.length)]));
    start += line.length + 1;
  }
  return joined(pieces, "\n");
}
