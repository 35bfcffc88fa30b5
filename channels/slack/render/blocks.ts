/**
 * Markdown as blocks of rich text, in reading order.
 * @module
 */

import type { Tokens } from "marked";
import { known, type MarkdownToken, parseMarkdown } from "../../markdown/markdown.ts";
import { inlinesOf, joined, spoken, textInlines } from "./inline.ts";
import { type Block, INDENT_MAX, type Inline } from "./rich.ts";
import { tableBlocks } from "./table.ts";

const RULE = "──────────";

/** The blocks that show `text`. */
export function blocksOf(text: string): readonly Block[] {
  return merged(parseMarkdown(text).flatMap((token) => tokenBlocks(token)));
}

/** The blocks that show `text` as it is. */
export function plainBlocks(text: string): readonly Block[] {
  return [{ type: "rich_text_section", elements: textInlines(text) }];
}

function tokenBlocks(token: MarkdownToken): readonly Block[] {
  switch (token.type) {
    case "heading":
      return [section(inlinesOf(known(token.tokens), { bold: true }))];
    case "code":
      return [{ type: "rich_text_preformatted", elements: textInlines(token.text || " ") }];
    case "blockquote":
      return quoteBlocks(token);
    case "list":
      return listBlocks(token, 0);
    case "table":
      return tableBlocks(token);
    case "hr":
      return [section(textInlines(RULE))];
    case "html":
      return [section(spoken(token.raw.trim()))];
    case "def":
    case "space":
      return [];
    default:
      return [section(inlinesOf([token]))];
  }
}

function section(elements: readonly Inline[]): Block {
  return { type: "rich_text_section", elements: joined(elements) };
}

/** A quote holds lines only: code in it comes as code of its own. */
function quoteBlocks(quote: Tokens.Blockquote): readonly Block[] {
  return known(quote.tokens).flatMap(tokenBlocks).map((block): Block => {
    switch (block.type) {
      case "rich_text_section":
        return { ...block, type: "rich_text_quote" };
      case "rich_text_list": {
        const { style, offset, items, indent } = block;
        const lines = items.flatMap((item, index) => [
          ...textInlines(
            `${index === 0 ? "" : "\n"}${"    ".repeat(indent)}${
              style === "bullet" ? "•" : `${offset + index + 1}.`
            } `,
          ),
          ...item,
        ]);
        return { type: "rich_text_quote", elements: joined(lines) };
      }
      default:
        return block;
    }
  });
}

/** A list is cut wherever something inside of an item takes lines of its own, and goes on after. */
function listBlocks(list: Tokens.List, depth: number): readonly Block[] {
  const blocks: Block[] = [];
  const style = list.ordered ? "ordered" : "bullet";
  const indent = Math.min(depth, INDENT_MAX);
  const first = list.ordered && typeof list.start === "number" ? list.start - 1 : 0;
  for (const [index, item] of list.items.entries()) {
    const { head, rest } = itemParts(item, depth);
    const last = blocks.at(-1);
    if (last?.type === "rich_text_list" && last.indent === indent && last.style === style) {
      blocks[blocks.length - 1] = { ...last, items: [...last.items, head] };
    } else {
      const offset = list.ordered ? Math.max(0, first + index) : 0;
      blocks.push({ type: "rich_text_list", style, indent, offset, items: [head] });
    }
    blocks.push(...rest);
  }
  return blocks;
}

/** The lines that stand beside an item's mark, and what comes below them. */
function itemParts(
  item: Tokens.ListItem,
  depth: number,
): { readonly head: readonly Inline[]; readonly rest: readonly Block[] } {
  const head: Inline[] = [];
  const rest: Block[] = [];
  for (const token of known(item.tokens)) {
    if (token.type === "list") {
      rest.push(...listBlocks(token, depth + 1));
      continue;
    }
    for (const block of tokenBlocks(token)) {
      if (block.type !== "rich_text_section" || rest.length > 0) {
        rest.push(block);
        continue;
      }
      const isBesideBox = head.length === 0 || token.type === "checkbox" || isBox(head);
      head.push(...(isBesideBox ? [] : textInlines("\n")), ...block.elements);
    }
  }
  return { head: joined(head.length > 0 ? head : textInlines(" ")), rest };
}

function isBox(head: readonly Inline[]): boolean {
  const [only] = head;
  return head.length === 1 && only?.type === "text" && /^[☑☐] $/.test(only.text);
}

/** Paragraphs that follow each other are one section, as when people write them. */
function merged(blocks: readonly Block[]): readonly Block[] {
  const out: Block[] = [];
  let elements: Inline[] = [];
  for (const block of blocks.filter(isShown)) {
    if (!isRunning(block)) {
      out.push(block);
    } else if (out.at(-1)?.type === block.type) {
      elements.push(...textInlines("\n\n"), ...block.elements);
    } else {
      elements = [...block.elements];
      out.push({ type: block.type, elements });
    }
  }
  return out.map((block) =>
    isRunning(block) ? { ...block, elements: joined(block.elements) } : block
  );
}

/** What goes on in a next paragraph. */
type Running = Extract<Block, { readonly type: "rich_text_section" | "rich_text_quote" }>;

function isRunning(block: Block): block is Running {
  return block.type === "rich_text_section" || block.type === "rich_text_quote";
}

function isShown(block: Block): boolean {
  return block.type === "rich_text_list" || block.elements.length > 0;
}
